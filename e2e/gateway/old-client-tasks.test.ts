// Core tasks of 2025-11-25 (D-38) through the gateway, with the official SDK as the client. The gateway creates tasks for calls
// of tools that support them, and of no others.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolResultSchema, CreateTaskResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type RunningGateway, startGateway } from "../processes/lethe.ts";

const surveyor = fileURLToPath(new URL("../servers/surveyor.mjs", import.meta.url));
const client = new Client({ name: "old", version: "1.0.0" }, { capabilities: { elicitation: {} } });
const { tasks } = client.experimental;
const modern = createServer({ name: "modern", version: "1.0.0" })
  .tool("slow", { task: "auto", handler: () => "done" })
  .tool("long", { task: "always", handler: () => "done at last" })
  .tool("quick", { handler: () => "done at once" });
let serving: Awaited<ReturnType<typeof serve>>;
let folder: string;
let running: RunningGateway;

beforeAll(async () => {
  serving = await serve(modern, { port: 0 });
  folder = await mkdtemp(join(tmpdir(), "lethe-old-tasks-"));
  const config = join(folder, "servers.json");
  const mcpServers = { surveyor: { command: process.execPath, args: [surveyor] }, modern: { url: serving.url } };
  const gateway = { upstreams: { surveyor: { tasks: "auto" } } };
  await writeFile(config, JSON.stringify({ mcpServers, gateway }));
  running = await startGateway(config);
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { unit: "feet" } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)) as Transport);
  await vi.waitFor(async () => expect((await client.listTools()).tools).toHaveLength(4), { timeout: 20_000 });
});
afterAll(async () => {
  await client.close();
  await running?.stop();
  await serving?.close({ graceMs: 0 });
  if (folder) await rm(folder, { recursive: true });
});

function begin(name: string, place?: string) {
  const params = { name, arguments: place === undefined ? {} : { place, ms: 300 } };
  return client.request({ method: "tools/call", params }, CreateTaskResultSchema, { task: { ttl: 60_000 } });
}

/** The stderr of the server. */
async function upstreamLines(): Promise<string> {
  return (await fetch(new URL("/admin/v1/upstreams/surveyor", running.url))).text();
}

it("the gateway declares which tools support tasks", async () => {
  const { tools } = await client.listTools();
  const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
  expect(support).toEqual({
    surveyor__survey: "optional",
    modern__slow: "optional",
    modern__long: "optional",
    modern__quick: "optional",
  });
});

it.each([
  ["modern__slow", "done"],
  ["modern__long", "done at last"],
  ["modern__quick", "done at once"],
])("the gateway runs a call of %s of a 2026-07-28 server as a task on request", async (name, text) => {
  const { task } = await begin(name);
  const result = await tasks.getTaskResult(task.taskId, CallToolResultSchema);
  expect(result.content).toEqual([{ type: "text", text }]);
});

it("a tool that a 2026-07-28 server runs only as a task answers a call without a task", async () => {
  const params = { name: "modern__long", arguments: {} };
  const result = await client.request({ method: "tools/call", params }, CallToolResultSchema);
  expect(result.content).toEqual([{ type: "text", text: "done at last" }]);
});

it("a call of a legacy client is a task from its start, elicits input and ends with its result", async () => {
  const messages = [];
  const call = { name: "surveyor__survey", arguments: { place: "the lake", ms: 300 } };
  for await (const message of tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60_000 } })) {
    messages.push(message);
  }
  expect(messages[0]).toMatchObject({ type: "taskCreated", task: { ttl: 60_000 } });
  expect(messages.at(-1)).toMatchObject({ type: "result", result: { content: [{ text: "the lake: 12 feet" }] } });
});

it("cancelling a listed task also cancels its upstream call", async () => {
  const { task } = await begin("surveyor__survey", "the wood");
  expect((await tasks.listTasks()).tasks.map(({ taskId }) => taskId)).toContain(task.taskId);
  await vi.waitFor(async () => expect(await upstreamLines()).toContain("begun the wood"), { timeout: 5_000 });
  expect(await tasks.cancelTask(task.taskId)).toMatchObject({ status: "cancelled" });
  await vi.waitFor(async () => expect(await upstreamLines()).toContain("cancelled the wood"), { timeout: 5_000 });
});

it("the gateway creates no task without a request for one", async () => {
  const params = { name: "surveyor__survey", arguments: { place: "the hill", ms: 700 } };
  const result = await client.request({ method: "tools/call", params }, CallToolResultSchema);
  expect(result.content).toMatchObject([{ text: "the hill: 12 feet" }]);
});
