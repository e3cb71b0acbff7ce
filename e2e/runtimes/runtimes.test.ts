// Serves the built `server.fetch` without Node: in Bun, in Deno and in workerd, the runtime of Cloudflare Workers. `serve`, over the node:http of
// Bun and Deno.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Change, Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { Client as OfficialClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { checkDeployment, documentedCode, keys } from "../docs/testing/deployment.ts";

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Deno may only open its port. It may not even read the environment. */
const denoPermissions = ["--no-prompt", "--node-modules-dir=manual", "--allow-net=127.0.0.1"];
const bun = fileOf("installed/node_modules/bun/bin/bun.exe");
const deno = fileOf("installed/node_modules/deno/deno");
/** Modules of Node that `serve` imports read the environment. */
const servePermissions = [...denoPermissions, "--allow-env", "--allow-sys", "--allow-read"];
const runtimes: [name: string, command: string, args: string[]][] = [
  ["Bun", bun, [fileOf("bun.mjs")]],
  ["Deno", deno, ["run", ...denoPermissions, fileOf("deno.mjs")]],
  ["Bun with serve", bun, [fileOf("serve.mjs")]],
  ["Deno with serve", deno, ["run", ...servePermissions, fileOf("serve.mjs")]],
  // Node bundles the module and starts workerd, which rejects random values, timers and I/O while modules load.
  ["workerd", process.execPath, [fileOf("workerd.mjs")]],
];

/** No other package of the workspace needs these. */
function installRuntimes(): void {
  if (existsSync(fileOf("installed/node_modules/.package-lock.json"))) return;
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr } = spawnSync("npm", args, { cwd: fileOf("installed"), encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ci in e2e/runtimes/installed failed: ${stderr}`);
}

beforeAll(installRuntimes, 300_000);

describe.each(runtimes)("a server in %s", (_name, command, args) => {
  let child: ChildProcess;
  let url: string;
  let opened: Client | undefined;

  beforeAll(async () => {
    child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    url = String(line).trim();
  });
  afterEach(() => opened?.close());
  afterAll(async () => {
    const closed = once(child, "close");
    child.kill();
    await closed;
  });

  async function start(options: ConnectOptions = {}): Promise<Client> {
    opened = await connect(url, { legacy: false, ...options });
    return opened;
  }

  it("answers discovery, lists, calls and reads", async () => {
    const client = await start();
    expect(client.connection).toMatchObject({ era: "modern", revision: "2026-07-28" });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["add", "greet", "count"]);
    expect((await client.callTool("add", { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect((await client.readResource("note://today")).contents).toMatchObject([{ text: "a note" }]);
  });

  it("requests input during a call and seals its state until the answer arrives (E-27)", async () => {
    const client = await start({ elicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello Ada, 36" }]);
  });

  it("streams progress before its result and notifies a subscriber of a change (B-15, E-13)", async () => {
    const client = await start();
    const heard: number[] = [];
    const change = new Promise<Change>((resolveChange, reject) => {
      const call = () => client.callTool("count", {}, { onProgress: ({ progress }) => heard.push(progress) });
      client
        .subscribe({ resourceSubscriptions: ["note://today"] }, resolveChange)
        .then(call)
        .catch(reject);
    });
    expect(await change).toMatchObject({ kind: "resource", uri: "note://today" });
    await client.callTool("count", {}, { onProgress: ({ progress }) => heard.push(progress) });
    expect(heard).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("serves a client of 2025-11-25 in a session (D-33)", async () => {
    const client = new OfficialClient({ name: "old", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
    const result = await client.callTool({ name: "add", arguments: { a: 1, b: 2 } });
    expect(result.structuredContent).toEqual({ sum: 3 });
    await client.close();
  });

  it("answers 100 concurrent calls with the right results", async () => {
    const client = await start();
    const sums = await Promise.all(Array.from({ length: 100 }, (_, a) => client.callTool("add", { a, b: 1 })));
    expect(sums.map(({ structuredContent }) => structuredContent)).toEqual(sums.map((_, a) => ({ sum: a + 1 })));
  });
});

const folder = mkdtempSync(fileOf(".documented-"));
afterAll(() => rmSync(folder, { recursive: true }));

const documented: [page: string, command: string, args: string[]][] = [
  ["bun", bun, []],
  [
    "deno-deploy",
    deno,
    ["run", "--no-prompt", "--node-modules-dir=manual", "--allow-net", "--allow-env=LETHE_KEYS,PORT"],
  ],
  ["cloudflare", process.execPath, [fileOf("workerd.mjs")]],
];

describe.each(documented)("the program of docs/deploy/%s.md", (page, command, args) => {
  const children: ChildProcess[] = [];

  async function start(): Promise<string> {
    const program = join(folder, `${page}.mjs`);
    writeFileSync(program, documentedCode(page, "js"));
    const env = { ...process.env, LETHE_KEYS: keys, PORT: "0", NO_COLOR: "1" };
    const child = spawn(command, [...args, program], { env, stdio: ["ignore", "pipe", "pipe"] });
    children.push(child);
    return new Promise((resolve, reject) => {
      let printed = "";
      const onText = (text: Buffer): void => {
        printed += text;
        const port = /http:\/\/\S+:(\d+)/.exec(printed)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}/mcp`);
      };
      child.stdout.on("data", onText);
      child.stderr.on("data", onText);
      child.on("exit", () => reject(new Error(printed)));
    });
  }

  afterAll(async () => {
    const running = children.filter(({ exitCode }) => exitCode === null);
    const closed = running.map((child) => once(child, "close"));
    for (const child of running) child.kill();
    await Promise.all(closed);
  });

  it("continues a call in another process with the same keys", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    await checkDeployment(first, fetch, (request) => fetch(new Request(request.url.replace(first, second), request)));
  });
});
