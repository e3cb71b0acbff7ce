// lethe dev with a real project: saved changes are served at once, and what clients have open stays open.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Change, type Client, type Handlers, incompatibleVersionOf, type RemoteTask } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { main, root } from "../processes/lethe.ts";
import { childrenOf, isAlive } from "../processes/process-tree.ts";
import { ownState } from "../processes/testing/own-state.ts";
import { recordingEnvironment } from "../wire/testing/recorded-children.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lethe-project-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "project", type: "module" }));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, ".env"), "GREETING=Hello\n");
});
afterAll(() => rm(folder, { recursive: true }));

/** Replaces the file as editors do: they write another one and rename it. */
async function save(name: string, text: string): Promise<void> {
  await writeFile(join(folder, `${name}.new`), text);
  await rename(join(folder, `${name}.new`), join(folder, name));
}

const soon = { timeout: 20_000, interval: 20 };

interface Version {
  readonly words: string;
  readonly tools?: string;
  readonly version?: string;
}

/** Two files: the server, and what it says. */
async function saveServer({ words, tools = "", version = "1" }: Version): Promise<void> {
  await save("words.ts", `export const words: string = ${JSON.stringify(words)};\n`);
  await save(
    "server.ts",
    `import { createServer } from "@lethe/server";
import { z } from "zod";
import { words } from "./words.ts";

const server = createServer({ name: "project", version: "1.0.0" });
server.tool("greet", { handler: () => \`\${process.env.GREETING}, \${words}\` });
server.tool("slow", { async handler() { console.log("slow begins"); await new Promise((done) => setTimeout(done, 1500)); return words; } });
server.tool("book", {
  version: ${JSON.stringify(version)},
  async handler(_input, ctx) {
    const { date } = await ctx.elicit("When?", z.object({ date: z.string() }));
    return \`\${words}: \${date}\`;
  },
});
server.tool("fails", {
  handler() {
    throw new RangeError("out of " + words);
  },
});
server.resource("note://one", { name: "one", handler: () => words });
${tools}
export default server;
`,
  );
}

interface Dev {
  readonly child: ChildProcess;
  readonly url: string;
  /** Waits for text in the output. */
  prints(text: RegExp): Promise<void>;
  stop(): Promise<number | null>;
}

async function startDev(...args: string[]): Promise<Dev> {
  const child = spawn(process.execPath, [main, "dev", "server.ts", "--port", "0", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...ownState, ...recordingEnvironment() },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const prints = (text: RegExp) => vi.waitFor(() => expect(output).toMatch(text), soon);
  await prints(/Listening on \S+/);
  return {
    child,
    url: output.match(/Listening on (\S+)/)?.[1] ?? "",
    prints,
    async stop() {
      child.kill("SIGINT");
      const [code] = (await once(child, "close")) as [number | null];
      return code;
    },
  };
}

const textOf = (result: { content: readonly object[] }) => (result.content[0] as { text?: string } | undefined)?.text;

describe("lethe dev", () => {
  let dev: Dev;
  let client: Client;
  let older: Client;
  let answer: () => void;
  let asked: Promise<void>[];

  /** Both clients answer an elicitation when the test says so. */
  function handlersThatWait(): Handlers {
    let onAsked: () => void = () => {};
    asked.push(new Promise((resolve) => (onAsked = resolve)));
    return {
      elicit: () => {
        onAsked();
        return new Promise((resolve) => released.push(() => resolve({ action: "accept", content: { date: "today" } })));
      },
    };
  }
  let released: (() => void)[];

  async function beginTask(tool: string): Promise<RemoteTask> {
    const created = await client.callTool(tool, {}, { manual: true });
    return client.task({ taskId: (created as { taskId?: string }).taskId ?? "" });
  }

  beforeAll(async () => {
    await saveServer({ words: "first" });
    dev = await startDev();
  });
  beforeEach(async () => {
    [asked, released] = [[], []];
    answer = () => {
      for (const release of released.splice(0)) release();
    };
    client = await connect(dev.url, handlersThatWait());
    older = await connect(dev.url, { ...handlersThatWait(), era: "legacy" });
  });
  afterEach(() => Promise.all([client.close(), older.close()]));
  afterAll(async () => {
    const processes = childrenOf(dev.child.pid ?? 0);
    expect(await dev.stop()).toBe(0);
    expect(processes.map(({ pid }) => isAlive(pid))).not.toContain(true);
  });

  it("continues pending calls on the new code and tells open subscriptions which lists changed", async () => {
    const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["note://one"] };
    const changes: Change[][] = [[], []];
    await client.subscribe(filter, (change) => changes[0]?.push(change));
    await older.subscribe(filter, (change) => changes[1]?.push(change));
    const bookings = [client.callTool("book"), older.callTool("book")];
    await Promise.all(asked);
    await saveServer({ words: "second", tools: 'server.tool("extra", { handler: () => "more" });' });
    const expected = [
      { kind: "tools", isSynthetic: false },
      { kind: "resource", uri: "note://one", isSynthetic: false },
    ];
    await vi.waitFor(() => expect(changes).toEqual([expected, expected]), soon);
    answer();
    expect((await Promise.all(bookings)).map(textOf)).toEqual(["second: today", "second: today"]);
    expect(textOf(await older.callTool("greet"))).toBe("Hello, second");
    expect((await client.listTools()).map(({ name }) => name)).toContain("extra");
  });

  it("keeps tasks: a finished one has its result, and one that asks continues on the new code", async () => {
    const tools = `server.tool("quick", { task: "always", handler: () => words });
server.tool("report", {
  task: "always",
  handler: async (_input, ctx) => words + ": " + (await ctx.elicit("When?", z.object({ date: z.string() }))).date,
});`;
    await saveServer({ words: "earlier", tools });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toContain("earlier"), soon);
    const [quick, report] = await Promise.all([beginTask("quick"), beginTask("report")]);
    await vi.waitFor(async () => expect((await quick.get()).status).toBe("completed"), soon);
    const reported = report.result();
    await asked[0];
    await saveServer({ words: "later", tools });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toContain("later"), soon);
    answer();
    expect(textOf(await reported)).toBe("later: today");
    expect(textOf(await quick.result())).toBe("earlier");
  });

  it("fails a pending call with both versions when the new handler does not continue it", async () => {
    const bookings = [client.callTool("book"), older.callTool("book")].map((call) =>
      call.catch((error: unknown) => error),
    );
    await Promise.all(asked);
    await saveServer({ words: "third", version: "2" });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toContain("third"), soon);
    answer();
    const [modern] = await Promise.all(bookings);
    expect(incompatibleVersionOf(modern)).toEqual({ startedVersion: "1", currentVersion: "2" });
  });

  it("lets a running call finish on the code that it started on", async () => {
    await saveServer({ words: "old" });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toContain("old"), soon);
    const running = client.callTool("slow");
    await dev.prints(/slow begins/);
    await saveServer({ words: "new" });
    await vi.waitFor(async () => expect(textOf(await older.callTool("greet"))).toContain("new"), soon);
    expect(textOf(await running)).toBe("old");
  });

  it("keeps the old code when the new code has an error, and shows its position", async () => {
    await saveServer({ words: "good" });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toContain("good"), soon);
    await save("words.ts", "export const words: string = ;\n");
    await dev.prints(/error words\.ts:1:30 Unexpected ";"\n {2}1 \| export const words: string = ;\n/);
    expect(textOf(await client.callTool("greet"))).toBe("Hello, good");
    await saveServer({ words: "good", tools: 'server.tool("a name", { handler: () => "" });' });
    await dev.prints(/error server\.ts:21:8 .*"a name".*1 to 128/);
    expect(textOf(await older.callTool("greet"))).toBe("Hello, good");
    await save(".env", "GREETING=Hi\n");
    await saveServer({ words: "better" });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toBe("Hi, better"), soon);
  });

  it("logs calls, and errors of handlers with their position in the source", async () => {
    await client.callTool("fails");
    await dev.prints(/tools\/call +fails +[\d.]+ ms {2}tool error: internal error/);
    await dev.prints(/error server\.ts:17:11 RangeError: out of \w+\n {2}17 \| +throw new RangeError/);
  });
});

describe("lethe dev in other situations", () => {
  it("serves the client that starts it over stdio, with reload, and ends with it", async () => {
    await saveServer({ words: "first" });
    const args = [main, "dev", join(folder, "server.ts"), "--stdio"];
    const ownFolder = join(folder, "tmp");
    await mkdir(ownFolder);
    const client = await connect({ command: process.execPath, args, cwd: folder, env: { TMPDIR: ownFolder } });
    expect(textOf(await client.callTool("greet"))).toContain("first");
    await saveServer({ words: "second" });
    await vi.waitFor(async () => expect(textOf(await client.callTool("greet"))).toContain("second"), soon);
    await client.close();
    await vi.waitFor(async () => expect(await readdir(ownFolder)).toEqual([]), soon);
  });
});
