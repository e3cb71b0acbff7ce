// Clients of 2025-11-25 behind nginx in plain round robin, with three processes that share keys and a Redis: any process serves
// any request of a session.
import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "@lethe/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createWireClient } from "../../examples/src/testing/wire-client.ts";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { servedBy } from "../processes/nginx.ts";
import { type Deployment, deploy, replica } from "./deployment.ts";

const patience = { timeout: 30_000, interval: 50 };
const cleanups: (() => Promise<void>)[] = [];
let redis: RunningRedis;
let deployment: Deployment;

async function begin(...args: string[]): Promise<void> {
  redis = await startRedis();
  cleanups.push(() => redis.stop());
  deployment = await deploy(replica, ["--redis", redis.url, ...args]);
  cleanups.push(deployment.stop);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** `servers` are those that answered a POST, `resumed` those at which a client resumed; `listening` resolves when the GET stream is open. */
async function connect({ thinkMs = 0 } = {}) {
  const servers = new Set<string>();
  const resumed = new Set<string>();
  let beginListening: (response: Response) => void = () => {};
  const listening = new Promise<Response>((resolve) => {
    beginListening = resolve;
  });
  const transport = new StreamableHTTPClientTransport(new URL(deployment.url), {
    async fetch(target, init) {
      const response = await fetch(target, init);
      if (init?.method === "POST") servers.add(response.headers.get(servedBy) ?? "");
      else if (!new Headers(init?.headers).has("last-event-id")) beginListening(response);
      else resumed.add(response.headers.get(servedBy) ?? "");
      return response;
    },
  });
  const client = new Client(
    { name: "old", version: "1" },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  );
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    await setTimeout(thinkMs);
    return { action: "accept", content: contentOf(params.message) };
  });
  client.setRequestHandler(CreateMessageRequestSchema, () => {
    asked.push("2 + 2?");
    return { model: "m", role: "assistant", content: { type: "text", text: "4" } };
  });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///work" }] }));
  await client.connect(transport as Transport);
  cleanups.push(() => client.close());
  return { client, transport, servers, asked, listening, resumed };
}

function contentOf(question: string) {
  if (question.startsWith("Print")) return { copies: 2 };
  return question === "A note?" ? { note: "cable" } : { resolution: "Fixed", tags: ["api"] };
}

it("100 conversations with input requests succeed while a process is killed", async () => {
  await begin();
  const sessions = await Promise.all(Array.from({ length: 10 }, connect));
  const disturbed = new Set<number>();
  async function insist(client: Client, id: number, tool: { name: string; arguments?: { id: number } }) {
    for (;;) {
      try {
        return await client.callTool(tool, undefined, { timeout: 5_000 });
      } catch (error) {
        // Calls and responses lost with the killed process, or answered by nginx. Only 20 run at a time.
        disturbed.add(id);
        if (disturbed.size > 20) throw error;
      }
    }
  }
  let begun = 0;
  let revived: Promise<void> | undefined;
  async function converse(id: number) {
    const { client } = sessions[id % sessions.length] as (typeof sessions)[number];
    begun += 1;
    if (begun === ids.length / 2) revived = deployment.kill(1).then(() => deployment.revive(1));
    const resolved = await insist(client, id, { name: "resolve", arguments: { id } });
    const thought = await insist(client, id, { name: "think" });
    return [resolved.structuredContent, thought.content];
  }
  const results: unknown[] = [];
  const ids = Array.from({ length: 100 }, (_, id) => id);
  const queue = ids.values();
  const workers = Array.from({ length: 20 }, async () => {
    for (const id of queue) results[id] = await converse(id);
  });
  await Promise.all(workers);
  await revived;
  const text = '{"type":"text","text":"4"} in file:///work';
  expect(results).toEqual(ids.map((id) => [{ id, resolution: "Fixed (api): cable" }, [{ type: "text", text }]]));
  for (const { servers } of sessions) expect(servers.size).toBeGreaterThanOrEqual(3);
});

describe("a legacy session on any process", () => {
  beforeEach(() => begin());

  it("a legacy session on any process sends a change once on each listening stream (D-26, D-34)", async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, connect));
    const heard = sessions.map(({ client }) => {
      const told: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri));
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told.push("tools"));
      return told;
    });
    await Promise.all(sessions.map(({ listening }) => listening));
    for (const { client } of sessions) await client.subscribeResource({ uri: "test://door" });
    const streams = deployment.urls.map(listenTo);
    const firsts = await Promise.all(streams.map((stream) => stream.next()));
    expect(firsts.map(({ value }) => value.method)).toEqual(
      firsts.map(() => "notifications/subscriptions/acknowledged"),
    );
    await sessions[0]?.client.callTool({ name: "switch" });
    await vi.waitFor(
      () => expect(heard.map((told) => told.toSorted())).toEqual(heard.map(() => ["test://door", "tools"])),
      patience,
    );
    await hearOnce(streams);
    for (const { client } of sessions.slice(1)) await client.unsubscribeResource({ uri: "test://door" });
    await sessions[0]?.client.callTool({ name: "switch" });
    await vi.waitFor(
      () => expect(heard.map(({ length }) => length)).toEqual(heard.map((_, index) => (index === 0 ? 4 : 3))),
      patience,
    );
    await hearOnce(streams);
  });

  it("a legacy session on any process keeps its log level (D-25)", async () => {
    const { client, transport } = await connect();
    const levels: string[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void levels.push(params.level));
    for (let turn = 0; turn < 3; turn++) await client.callTool({ name: "steps" });
    expect(levels).toHaveLength(9);
    await client.setLoggingLevel("error");
    for (let turn = 0; turn < 6; turn++) await client.callTool({ name: "steps" });
    expect(levels).toHaveLength(9);
    expect(transport.sessionId).toBeDefined();
  });

  it("a legacy session on any process stays ended after a DELETE (D-33)", async () => {
    const { client, transport } = await connect();
    await transport.terminateSession();
    await vi.waitFor(async () => {
      const answers = await askEach(transport, "ping");
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    }, patience);
    await client.close();
  });

  it("a legacy session on any process polls and lists a task, answers its input request and gets its result (D-38)", async () => {
    const { client } = await connect();
    const { tasks } = client.experimental;
    await client.listTools();
    for (let turn = 0; turn < 4; turn++) {
      let last: unknown;
      for await (const message of tasks.callToolStream({ name: "print", arguments: { pages: 10 } })) last = message;
      expect(last).toMatchObject({ type: "result", result: { structuredContent: { printed: 20 } } });
    }
    expect((await tasks.listTasks()).tasks.map(({ status }) => status)).toEqual(Array(4).fill("completed"));
  });

  it("a legacy session on any process cancels a call (D-27)", async () => {
    const { client, transport } = await connect();
    const controller = new AbortController();
    const wait = () => client.callTool({ name: "wait" }, undefined, { signal: controller.signal });
    const calls = Array.from({ length: 6 }, wait);
    const sumOf = async (name: string) => {
      const answers = await askEach(transport, "tools/call", { name });
      const results = await Promise.all(answers.map((answer) => answer.json()));
      return results.reduce((sum, { result }) => sum + Number(result.content[0].text), 0);
    };
    await vi.waitFor(async () => expect(await sumOf("waiting")).toBe(6), patience);
    controller.abort("enough");
    for (const call of calls) await expect(call).rejects.toThrow("enough");
    await vi.waitFor(async () => expect([await sumOf("waiting"), await sumOf("cancelled")]).toEqual([0, 6]), patience);
  });
});

it("conversations continue after Redis restarts without its data", async () => {
  await begin();
  const sessions = await Promise.all(Array.from({ length: 6 }, () => connect({ thinkMs: 300 })));
  const ids = Array.from({ length: 24 }, (_, id) => id);
  const calls = ids.map((id) => {
    const { client } = sessions[id % sessions.length] as (typeof sessions)[number];
    return client.callTool({ name: "resolve", arguments: { id } });
  });
  await vi.waitFor(() => expect(sessions.every(({ asked }) => asked.length >= 4)).toBe(true), patience);
  await redis.stop();
  await setTimeout(1_000);
  redis = await startRedis(redis.port);
  const results = await Promise.all(calls);
  expect(results.map(({ structuredContent }) => structuredContent)).toEqual(
    ids.map((id) => ({ id, resolution: "Fixed (api): cable" })),
  );
});

it("an HTTP+SSE client posts to any process and receives responses on its stream (D-32)", async () => {
  await begin();
  const client = new Client({ name: "older", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: contentOf(params.message),
  }));
  await client.connect(new SSEClientTransport(new URL("/sse", deployment.url)));
  cleanups.push(() => client.close());
  for (let turn = 0; turn < 6; turn++) {
    const result = await client.callTool({ name: "resolve", arguments: { id: turn } });
    expect(result.structuredContent).toEqual({ id: turn, resolution: "Fixed (api): cable" });
  }
});

it("a call closes its connection, and its client resumes on any process (D-35)", async () => {
  await begin("--poll", "150");
  const { client, asked, resumed } = await connect({ thinkMs: 400 });
  for (let turn = 0; turn < 3; turn++) {
    expect(await client.callTool({ name: "resolve", arguments: { id: turn } })).toMatchObject({
      structuredContent: { id: turn, resolution: "Fixed (api): cable" },
    });
  }
  expect(asked).toHaveLength(6);
  expect(resumed.size).toBe(3);
});

/** A client of 2026-07-28 at one process. */
function listenTo(url: string): AsyncGenerator<JsonObject> {
  const client = createWireClient((request) => fetch(new Request(url, request)));
  const stream = client.listen({ toolsListChanged: true, resourceSubscriptions: ["test://door"] });
  cleanups.push(async () => void (await stream.return(undefined)));
  return stream;
}

async function hearOnce(streams: readonly AsyncGenerator<JsonObject>[]): Promise<void> {
  for (const stream of streams) {
    const methods = [await stream.next(), await stream.next()].map(({ value }) => value.method);
    expect(methods.toSorted()).toEqual(["notifications/resources/updated", "notifications/tools/list_changed"]);
  }
}

/** Each process by itself, in the session of this transport. */
function askEach({ sessionId = "" }: StreamableHTTPClientTransport, method: string, params = {}): Promise<Response[]> {
  const headers = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    "Mcp-Session-Id": sessionId,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: "asked beside", method, params });
  return Promise.all(deployment.urls.map((url) => fetch(url, { method: "POST", headers, body })));
}
