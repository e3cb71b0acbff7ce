// The legacy edge of createServer is loaded with the first message of an older revision. What arrives meanwhile waits, in its order.
import { expect, it, vi } from "vitest";
import { createServer } from "../create-server.ts";
import { createFetchHandler } from "../http/fetch-handler.ts";
import { createStdioEdge } from "../stdio/stdio-edge.ts";
import type { StreamRelay } from "./shared/stream-relay.ts";

const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};
const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "greet", arguments: {} } };

function openStdio() {
  const server = createServer({ name: "test", version: "1.0.0" }).tool("greet", { handler: () => "Hello!" });
  const lines: { id?: number; result?: unknown; error?: { code: number } }[] = [];
  const write = (text: string): boolean => {
    for (const line of text.trim().split("\n")) lines.push(JSON.parse(line));
    return true;
  };
  const edge = createStdioEdge(server, {
    ...{ write, heldBytes: () => 0, drained: () => Promise.resolve() },
    schedule: (flush) => queueMicrotask(flush),
  });
  const send = (...messages: object[]): void => {
    for (const message of messages) edge.receiveLine(JSON.stringify(message));
  };
  return { edge, lines, send, server };
}

it("messages that a client sends together with its initialize over stdio are answered in their order", async () => {
  const { lines, send, edge } = openStdio();
  send(initialize, initialized, call);
  await vi.waitUntil(() => lines.length === 2);
  expect(lines.map(({ id }) => id)).toEqual([1, 2]);
  expect(lines[1]?.result).toMatchObject({ content: [{ text: "Hello!" }] });
  await edge.finish();
});

it("an input that ends right after initialize still gets its response over stdio", async () => {
  const { lines, send, edge } = openStdio();
  send(initialize);
  await edge.finish();
  expect(lines).toMatchObject([{ id: 1, result: { protocolVersion: "2025-06-18" } }]);
});

it("a program may spread the edge to decide otherwise which requests are of an older revision", async () => {
  const { server } = openStdio();
  const { dispatch, info, legacy } = server;
  if (!legacy) throw new Error("the server has no legacy edge");
  const handler = createFetchHandler({ dispatch, info, legacy: { ...legacy, claims: () => true } });
  const response = await handler(
    new Request("http://localhost/mcp", {
      ...{ method: "POST", body: JSON.stringify(initialize) },
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    }),
  );
  expect(await response.text()).toContain('"protocolVersion":"2025-06-18"');
});

it("a refused initialize leaves later messages to the modern edge over stdio", async () => {
  const { lines, send, edge } = openStdio();
  send({ ...initialize, id: {} }, call);
  await vi.waitUntil(() => lines.length === 2);
  expect(lines.every(({ error }) => error !== undefined)).toBe(true);
  await edge.finish();
});

it("a server without clients of older revisions answers GET and POST of its HTTP+SSE endpoints once they come", async () => {
  const { server } = openStdio();
  const stream = await server.fetch(new Request("http://localhost/sse", { headers: { accept: "text/event-stream" } }));
  expect(stream.status).toBe(200);
  const post = new Request("http://localhost/messages?session_id=none", {
    ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(initialize) },
  });
  expect((await server.fetch(post)).status).toBe(404);
  await stream.body?.cancel();
  await server.close();
});

it("a server that closes while an older client's stream is opening ends that stream", async () => {
  const { server } = openStdio();
  const opening = server.fetch(new Request("http://localhost/sse", { headers: { accept: "text/event-stream" } }));
  await server.close();
  const stream = await opening;
  await stream.text();
  expect(stream.status).toBe(200);
});

it("a server that closes right after its creation leaves no listener at the relay of older clients' messages", async () => {
  const listeners = new Set<unknown>();
  const relay: StreamRelay = {
    address: "here",
    listen(receive) {
      listeners.add(receive);
      return () => void listeners.delete(receive);
    },
    send: () => Promise.resolve(false),
  };
  const server = createServer({ name: "test", version: "1.0.0" }, { legacy: { relay } });
  await server.close();
  // The code is loaded by now, because this waits for the same module.
  await import("./legacy-edge.ts");
  await new Promise((resolve) => setImmediate(resolve));
  expect(listeners.size).toBe(0);
});
