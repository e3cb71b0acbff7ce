// What a small server loads until it has answered its first tools/call. The rest is loaded when it is used: loading code is most of the time
// that a server takes to start. And what the entry points load that must run without Node.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = join(folder, "../..");
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const call = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name: "greet", arguments: { name: "World" }, _meta: meta },
});
const headers = {
  ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
  ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "greet" },
};
const initialize = JSON.stringify({
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
});

function start(program: string, ...args: string[]): { child: ChildProcess; nextLine(): Promise<string> } {
  const hook = new URL("loaded-files.mjs", import.meta.url).href;
  const child = fork(join(folder, program), args, {
    ...{ execArgv: ["--import", hook], stdio: ["pipe", "pipe", "inherit", "ipc"] },
  });
  if (!child.stdout) throw new Error("the program has no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, nextLine: async () => String((await lines.next()).value) };
}

/** The files of this workspace and the packages that the program has loaded, and the modules of Node that it imported. */
async function loadedBy(child: ChildProcess): Promise<string[]> {
  child.send("report");
  const [urls] = (await once(child, "message")) as [string[]];
  const files = urls.filter((url) => !/\/(?:small-server|import|loaded-files)\.mjs$/.test(url));
  return files
    .map((url) => (url.startsWith("file:") ? relative(root, fileURLToPath(url)).replaceAll("\\", "/") : url))
    .sort();
}

const ownFiles = [
  "packages/protocol/dist/chunks/core.js",
  "packages/protocol/dist/index.js",
  "packages/protocol/dist/revisions/index.js",
  "packages/protocol/dist/skills.js",
  "packages/server/dist/chunks/core.js",
  "packages/server/dist/chunks/node.js",
  "packages/server/dist/index.js",
  "packages/server/dist/node/index.js",
];

it("an HTTP server that answered a tools/call has loaded the main files of two packages, and node:http, node:net and timers", async () => {
  const { child, nextLine } = start("small-server.mjs");
  const answer = await fetch(await nextLine(), { method: "POST", headers, body: call });
  expect(await answer.text()).toContain("Hello, World!");
  expect(await loadedBy(child)).toEqual(["node:http", "node:net", "node:timers/promises", ...ownFiles]);
  child.kill();
});

it("a stdio server that answered a tools/call has loaded the same files without node:http", async () => {
  const { child, nextLine } = start("small-server.mjs", "stdio");
  child.stdin?.write(`${call}\n`);
  expect(await nextLine()).toContain("Hello, World!");
  expect(await loadedBy(child)).toEqual(["node:net", "node:timers/promises", ...ownFiles]);
  child.kill();
});

it("a server loads what older clients need with the first message of one", async () => {
  const { child, nextLine } = start("small-server.mjs", "stdio");
  child.stdin?.write(`${initialize}\n`);
  expect(await nextLine()).toContain("2025-06-18");
  expect(await loadedBy(child)).toContain("packages/server/dist/chunks/legacy-edge.js");
  child.kill();
});

it.each([
  ...["@lethe/client", "@lethe/client/auth", "@lethe/client/edge", "@lethe/client/extensions"],
  ...["@lethe/protocol", "@lethe/protocol/revisions", "@lethe/protocol/skills"],
  ...["@lethe/server", "@lethe/server/auth", "@lethe/server/edge", "@lethe/server/extensions"],
  ...["@lethe/server/middleware", "@lethe/server/stores"],
])("an import of %s loads no module of Node, and nothing of the entry points that need Node", async (name) => {
  const { child, nextLine } = start("import.mjs", name);
  expect(await nextLine()).toBe("imported");
  const loaded = await loadedBy(child);
  expect(loaded).toContainEqual(expect.stringMatching(/^packages\/.*\.js$/));
  expect(loaded.filter((file) => file.startsWith("node:") || /\/node(?:\.js$|\/)/.test(file))).toEqual([]);
  child.kill();
});
