// Checks usage errors, closed pipes and Ctrl-C: one sentence of output, and no processes or files left.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main, root, runLethe } from "../processes/lethe.ts";
import { childrenOf } from "../processes/process-tree.ts";
import type { Fixture } from "../servers/fixture.ts";
import { startStatefulV1 } from "../servers/official-v1.ts";

let server: Fixture;
let folder: string;

beforeAll(async () => {
  server = await startStatefulV1();
  folder = await mkdtemp(join(tmpdir(), "lethe-e2e-cli-"));
  await writeFile(join(folder, "broken.json"), "{");
  await writeFile(join(folder, "array.json"), "[]");
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const unreachable = "http://127.0.0.1:1/mcp";

describe.concurrent("lethe explains a usage error in one sentence", () => {
  it.each<[command: string, message: string]>([
    ["prob", "Did you mean probe?"],
    ["probe", "nothing to probe: give a URL, -- COMMAND, or --config FILE"],
    ["probe localhost:3000", "did you mean http://localhost:3000?"],
    ["probe npx", 'names need --config FILE, commands come after "--"'],
    ["probe --", 'a command is expected after "--", such as: -- npx my-server'],
    ["probe URL --timeout 9999999", "--timeout must be a number of seconds above 0 and up to 86400"],
    ["probe URL --timeout x", "--timeout must be a number of seconds"],
    ["probe URL --header nocolon", '--header must be "Name: value"'],
    ["probe URL --header A:\u0007secret", "--header A: its value has a character that no header may have"],
    ["probe URL --env A=1", '--env is for a server started by a command after "--"'],
    ["probe --header A:b -- node", "--header is for a server at a URL; a command takes --env"],
    ["probe URL --replica x", '"x" is not an http or https URL'],
    ["probe URL --restart", "--restart needs a command"],
    ["probe URL --json --markdown", "--json and --markdown exclude each other"],
    ["probe --config FOLDER/none.json", "none.json: no such file"],
    ["probe --config FOLDER/broken.json", "broken.json:1: is not JSON"],
    ["compare localhost:3000", "did you mean http://localhost:3000?"],
    ["compare server.js", 'names need --config FILE, commands come after "--"'],
    ["compare one.json", "one.json: no such file or folder"],
    ["compare one.json two.json three.json", "or two, such as: lethe compare before.json after.json"],
    ["compare FOLDER/a.json FOLDER/b.json", "a.json: no such file or folder"],
    ["compare FOLDER/broken.json FOLDER/array.json", "broken.json is not JSON: Expected"],
    ["compare FOLDER/array.json FOLDER/array.json", "array.json: expected a comparison or a recording of version 1"],
    ["compare URL --script FOLDER/array.json", "array.json: a script must be an object, got an array"],
    ["compare URL --html FOLDER/none/report.html", "none: no such file or folder"],
    ["compare URL --json --markdown", "--json and --markdown exclude each other"],
    ["compare URL more", '"more" is not an http or https URL'],
    ["compare --to URL", "--to needs --record PORT"],
    ["compare --record 0", "--record needs --to"],
    ["compare --record 0 --to URL URL", "it takes --to and no other target or script"],
    ["compare --header A:b", "--header and --env are for a server that is given"],
    ["call URL", "missing required argument 'tool'"],
    ["call localhost:3000 echo", "did you mean http://localhost:3000?"],
    ["call URL echo text=hi {}", "one JSON object must be the only argument"],
    ["call URL echo []", `got an array; write them like '{"name": "Ada"}'`],
    ["call URL echo --answer no", `write it like '{"name": "Ada"}'`],
    ["call URL echo --answers FOLDER/none", "none: no such file or folder"],
    ["call URL echo --root FOLDER/none", "--root: no such folder"],
    ["list URL --client-id x", "--client-id needs --login"],
    ["read URL a:b --verbose", '--verbose is for a server started by a command after "--"'],
    ["list URL --start-timeout 5", '--start-timeout is for a server started by a command after "--"'],
    ["list --start-timeout 0 -- node", "--start-timeout must be a number of seconds above 0 and up to 86400"],
    ["wrap --start-timeout x -- node", "--start-timeout must be a number of seconds"],
    ["list --login -- node", "--login is for a server at a URL"],
    ["list example.com/mcp", "did you mean https://example.com/mcp?"],
    ["bridge localhost", "did you mean http://localhost?"],
  ])("lethe %s explains the usage error in one sentence", async (command, message) => {
    const words = command.split(" ").map((word) => word.replace("URL", server.url).replace("FOLDER", folder));
    const { code, stdout, stderr } = await runLethe(...words);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });
});

describe.concurrent("lethe explains why a server cannot be used", () => {
  it.each<[command: string, message: string]>([
    [`call ${unreachable} echo`, "Check that the server runs, and that scheme, host and port are correct."],
    ["list ORIGIN/nowhere", "`lethe probe` shows what answers there"],
    ["list -- no-such-program", "Check that the command is installed and spelled correctly."],
    [
      `list --start-timeout 0.5 -- ${process.execPath} -e setInterval(()=>{},9)`,
      "did not start within 0.5 s (--start-timeout)",
    ],
    [`compare ${unreachable}`, "connect ECONNREFUSED 127.0.0.1:1; check that it runs"],
    [
      "compare -- no-such-program",
      'there is no command "no-such-program" in PATH (ENOENT); check that the command is installed',
    ],
  ])("lethe %s explains why the server cannot be used", async (command, message) => {
    const nowhere = createServer((_request, response) => response.writeHead(404).end("nothing")).listen(0, "127.0.0.1");
    await once(nowhere, "listening");
    const origin = `http://127.0.0.1:${(nowhere.address() as AddressInfo).port}`;
    const { code, stdout, stderr } = await runLethe(...command.replace("ORIGIN", origin).split(" "));
    nowhere.close();
    expect(stderr).toContain(message);
    // The output does not mention the recorder in between.
    expect(stderr).not.toMatch(/tee\.js|127\.0\.0\.1:(?!1[/\n])\d+\/mcp/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe.concurrent("lethe with a closed output pipe", () => {
  it.each<[command: string, exit: number]>([
    ["probe URL", 10],
    ["list URL --json", 0],
    [`call URL echo {"text":"x"}`, 0],
    ["compare URL", 0],
    ["compare --help", 0],
  ])("lethe %s ends without output when its output pipe is closed", async (command, exit) => {
    const child = start(command.replace("URL", server.url).split(" "));
    child.stdout?.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, "exit")]);
    expect({ code, said: said.replace(/.* …\n/g, "") }).toEqual({ code: exit, said: "" });
  });
});

/** On a busy machine a process takes its time to start. */
const patience = { timeout: 20_000 };
const sleeper = "process.on('SIGINT',()=>{});process.stdin.resume();setInterval(()=>{},1000)";

describe.skipIf(process.platform === "win32")("Ctrl-C", () => {
  it.each([
    ["probe", ["probe", "--timeout", "50", "--", process.execPath, "-e", sleeper]],
    ["list", ["list", "--", process.execPath, "-e", sleeper]],
    ["compare", ["compare", "--timeout", "50", "--", process.execPath, "-e", sleeper]],
  ])("Ctrl-C ends lethe %s of a silent server and leaves no process or file", async (_name, words) => {
    const child = start(words, { TMPDIR: folder });
    const saying = text(child.stderr as NodeJS.ReadableStream);
    await expect.poll(() => childrenOf(child.pid as number).length, patience).toBe(1);
    const pids = childrenOf(child.pid as number).map(({ pid }) => pid);
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
    expect(await saying).toContain("error: interrupted");
    expect(pids.filter(isRunning)).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.startsWith("lethe-compare"))).toEqual([]);
  });

  it("Ctrl-C ends the session of a slow lethe call", async () => {
    const child = start(["call", server.url, "wait"]);
    await expect.poll(() => server.sessions(), patience).toBe(1);
    child.kill("SIGINT");
    const [code] = await once(child, "exit");
    expect(code).toBe(130);
    expect(server.sessions()).toBe(0);
  });
});

function start(words: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
}

/** A zombie process does not count as running. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout !== "" && !stdout.startsWith("Z");
}
