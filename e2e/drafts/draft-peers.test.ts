// A server accepts null params, which clients in the recorded traffic of the drafts send (I-36).
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { expect, onTestFinished, test } from "vitest";

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "draft", version: "1" } },
};

async function startServer() {
  const server = createServer({ name: "s", version: "1" });
  server.tool("greet", { description: "Greet", handler: () => "hello" });
  const running = await serve(server, { port: 0 });
  onTestFinished(() => running.close());
  return { server, url: running.url };
}

test("a server accepts null params of a notification and of a request in a session of 2025-11-25 (I-36)", async () => {
  const { url } = await startServer();
  const post = (body: object, headers = {}) =>
    fetch(url, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
  const begun = await post(initialize);
  await begun.text();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
  const told = await post({ jsonrpc: "2.0", method: "notifications/initialized", params: null }, session);
  expect([told.status, await told.text()]).toEqual([202, ""]);
  const listed = await post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null }, session);
  expect(listed.status).toBe(200);
  expect(await listed.text()).toContain('"greet"');
});

test("a client of HTTP+SSE whose notification had null params is notified that tools have changed (I-36)", async () => {
  const { server, url } = await startServer();
  const stream = await fetch(url, { headers: { accept: "text/event-stream" } });
  const events = (stream.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => events.cancel());
  let seen = "";
  const until = async (text: string) => {
    while (!seen.includes(text)) {
      const { value, done } = await events.read();
      if (done) throw new Error(`the stream ended after ${seen}`);
      seen += value;
    }
  };
  await until("\n\n");
  const endpoint = new URL(/^data: (.*)$/m.exec(seen)?.[1] ?? "", url);
  const post = async (body: object) => {
    const { status } = await fetch(endpoint, { method: "POST", headers: json, body: JSON.stringify(body) });
    expect(status).toBe(202);
  };
  await post({ ...initialize, params: { ...initialize.params, protocolVersion: "2024-11-05" } });
  await until('"id":0');
  await post({ jsonrpc: "2.0", method: "notifications/initialized", params: null });
  await post({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null });
  await until('"greet"');
  server.tool("part", { description: "Part", handler: () => "bye" });
  await until("notifications/tools/list_changed");
});
