// serve: listening, limits of connections, and graceful shutdown.
import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Dispatch, Result } from "@lethe/protocol";
import { afterEach, expect, it, vi } from "vitest";
import { aborted, holdDispatch } from "../testing/held-dispatch.ts";
import { callOf, progress, requestOf } from "../testing/messages.ts";
import { createNodeHandler } from "./node-handler.ts";
import type { ServeOptions, Serving } from "./serve.ts";
import { serve } from "./serve.ts";
import { StallDetector } from "./stall-detector.ts";

const complete: Result = { resultType: "complete", content: [] };
const dispatch: Dispatch = async () => complete;
const body = JSON.stringify(callOf());
const headers = {
  "content-type": "application/json",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "add",
};

let open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.map((serving) => serving.close({ graceMs: 0 })));
  open = [];
});

async function serving(target: Parameters<typeof serve>[0], options: ServeOptions = {}): Promise<Serving> {
  const started = await serve(target, { port: 0, ...options });
  open.push(started);
  return started;
}

function post(url: string): Promise<Response> {
  return fetch(url, { method: "POST", headers, body });
}

function listenRequest(): RequestInit {
  const listen = JSON.stringify(requestOf("subscriptions/listen", { notifications: {} }));
  return {
    method: "POST",
    headers: { ...headers, "mcp-method": "subscriptions/listen", "mcp-name": "" },
    body: listen,
  };
}

/** A raw connection: writes text, and collects what it receives. */
async function dial(port: number, text: string): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(text);
  let all = "";
  socket.on("data", (chunk) => {
    all += chunk;
  });
  return { socket, received: new Promise((resolve) => socket.on("close", () => resolve(all))) };
}

/** Resolves when nothing listens on the port any more. */
async function refused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isRefused = await new Promise((resolve) => {
      socket.once("connect", () => resolve(false)).once("error", () => resolve(true));
    });
    socket.destroy();
    if (isRefused) return;
  }
}

function rawRequest(length = body.length): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ["POST /mcp HTTP/1.1", "Host: localhost", ...lines, `Content-Length: ${length}`, "", body].join("\r\n");
}

it("a single server is at /mcp, and other paths are unknown", async () => {
  const { url, port } = await serving({ dispatch });
  expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
  expect(await (await post(url)).json()).toEqual({ jsonrpc: "2.0", id: 1, result: complete });
  expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(404);
});

it("several servers are at their paths, or at the paths that a function maps", async () => {
  const other: Dispatch = async () => ({ resultType: "complete", other: true });
  const byPath = await serving({ "/a": { dispatch }, "/b": { dispatch: other } });
  expect(byPath.url).toBe(`http://127.0.0.1:${byPath.port}`);
  expect(await (await post(`${byPath.url}/b`)).json()).toMatchObject({ result: { other: true } });
  const found = await serving((path) => (path.startsWith("/t/") ? { dispatch: other } : undefined));
  expect((await post(`${found.url}/t/1`)).status).toBe(200);
  expect((await post(`${found.url}/u`)).status).toBe(404);
});

it("a loopback server rejects other host names, and a server on another address does not (B-3, B-4)", async () => {
  const request = rawRequest().replace("Host: localhost", "Host: evil.example\r\nConnection: close");
  const local = await serving({ dispatch });
  expect(await (await dial(local.port, request)).received).toMatch(/^HTTP\/1.1 403 /);
  const everywhere = await serving({ dispatch }, { host: "0.0.0.0" });
  expect(everywhere.url).toBe(`http://localhost:${everywhere.port}/mcp`);
  expect(await (await dial(everywhere.port, request)).received).toMatch(/^HTTP\/1.1 200 /);
  const listed = await serving({ dispatch }, { host: "0.0.0.0", allowedHosts: ["localhost"] });
  expect(await (await dial(listed.port, request)).received).toMatch(/^HTTP\/1.1 403 /);
});

it("a port in use is an error that names host and port", async () => {
  const { port } = await serving({ dispatch });
  await expect(serve({ dispatch }, { port })).rejects.toThrow(
    `cannot listen on port ${port} of 127.0.0.1: the port is in use`,
  );
});

it("an unknown host is an error that names it", async () => {
  await expect(serve({ dispatch }, { port: 0, host: "192.0.2.1" })).rejects.toThrow("port 0 of 192.0.2.1");
});

it("close waits for running requests, accepts no new ones, and leaves no connection open", async () => {
  const held = holdDispatch();
  const { url, port, close } = await serving(held);
  const idle = await dial(port, "");
  const halfSent = await dial(port, "POST /mcp HTTP/1.1\r\nHost: loc");
  const answer = post(url);
  const exchange = await held.exchange;
  const closed = close();
  await refused(port);
  expect([await idle.received, await halfSent.received]).toEqual(["", ""]);
  held.finish();
  expect((await answer).headers.get("connection")).toBe("close");
  expect(await (await answer).json()).toMatchObject({ result: complete });
  await closed;
  expect(exchange.signal.aborted).toBe(true);
});

it("a request in transit when close starts is answered, on a new and on a kept connection", async () => {
  const { port, close } = await serving({ dispatch: async () => complete });
  const fresh = await dial(port, "");
  const kept = await dial(port, rawRequest());
  await new Promise((resolve) => kept.socket.once("data", resolve));
  const closed = close();
  for (const { socket } of [fresh, kept]) socket.write(rawRequest());
  expect(await fresh.received).toMatch(/^HTTP\/1.1 200 .*\r\nConnection: close\r\n/s);
  expect((await kept.received).match(/HTTP\/1.1 200 /g)).toHaveLength(2);
  await closed;
});

it("a request that arrives in a long turn of the event loop while close waits for requests in transit is answered", async () => {
  const { port, close } = await serving({ dispatch: async () => complete });
  const { socket, received } = await dial(port, "");
  const closed = close();
  await refused(port);
  socket.write(rawRequest());
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect(await received).toMatch(/^HTTP\/1.1 200 /);
  await closed;
});

it("close with delayMs serves for a while, and closes each connection after its next response", async () => {
  const { url, port, close } = await serving({ dispatch: async () => complete });
  const kept = await dial(port, "");
  const closed = close({ delayMs: 100 });
  kept.socket.write(rawRequest());
  expect(await kept.received).toMatch(/^HTTP\/1.1 200 .*\r\nConnection: close\r\n/s);
  expect((await post(url)).headers.get("connection")).toBe("close");
  await closed;
  await expect(post(url)).rejects.toThrow();
});

it("a response that the client is reading when close starts arrives completely", async () => {
  const text = "x".repeat(5_000_000);
  const { port, close } = await serving({ dispatch: async () => ({ ...complete, text }) });
  const { socket, received } = await dial(port, rawRequest());
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  const closed = close();
  socket.resume();
  expect((await received).endsWith(`${text}"}}`)).toBe(true);
  await closed;
});

it("a request whose answer waits for a turn of the event loop after a stall is answered before close closes its connection", async () => {
  vi.spyOn(StallDetector.prototype, "isStale", "get").mockReturnValue(true);
  const held = holdDispatch();
  const { url, port, close } = await serving(held);
  const idle = await dial(port, "");
  const answer = post(url);
  await held.exchange;
  const closed = close();
  // Once idle connections are closed, only the request is left.
  await idle.received;
  held.finish();
  expect(await (await answer).json()).toMatchObject({ result: complete });
  await closed;
  vi.restoreAllMocks();
});

it("close ends subscriptions through the server's own close, and they end with their result (E-16)", async () => {
  const held = holdDispatch();
  const end = vi.fn(() => held.finish());
  const { url, close } = await serving({ ...held, close: end });
  const listening = fetch(url, listenRequest());
  (await held.exchange).notify(progress);
  const answer = await listening;
  await close();
  expect(end).toHaveBeenCalledOnce();
  expect(await answer.text()).toMatch(/"result":\{"resultType":"complete"[^\n]*\n\n$/);
});

it("requests that run after the grace period are aborted with an error, and a second close waits for the first", async () => {
  const onError = vi.fn();
  const held = holdDispatch();
  const failing = { ...held, close: () => Promise.reject(new Error("cannot end")) };
  const { url, close } = await serving(failing, { onError });
  const answer = post(url);
  const { signal } = await held.exchange;
  await Promise.all([close({ graceMs: 20 }), close({ graceMs: 100_000 })]);
  await aborted(signal);
  expect((await answer).headers.get("connection")).toBe("close");
  expect(await (await answer).json()).toMatchObject({ id: 1, error: { code: -32603, data: { reason: "lost" } } });
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "cannot end" }));
});

it("aborting the signal closes the server", async () => {
  const controller = new AbortController();
  const { url, close } = await serving({ dispatch }, { signal: controller.signal });
  expect((await post(url)).status).toBe(200);
  controller.abort();
  await close();
  await expect(post(url)).rejects.toThrow();
  await expect(serve({ dispatch }, { port: 0, signal: controller.signal })).rejects.toThrow("aborted");
});

it("a closed server no longer listens to its signal", async () => {
  const { signal } = new AbortController();
  const { close } = await serving({ dispatch }, { signal });
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  await close();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

it("aborting the signal during the start leaves no listener", async () => {
  const controller = new AbortController();
  const port = (await serving({ dispatch })).port;
  await open.pop()?.close();
  const starting = serve({ dispatch }, { port, signal: controller.signal });
  controller.abort(new Error("changed my mind"));
  await expect(starting).rejects.toThrow("changed my mind");
  await expect(post(`http://127.0.0.1:${port}/mcp`)).rejects.toThrow();
});

it("a client that does not read its response loses its connection, and nothing is held for it", async () => {
  const huge = { ...complete, content: [{ type: "text", text: "x".repeat(30_000_000) }] };
  const server = createServer(createNodeHandler({ dispatch: async () => huge }, { bodyTimeoutMs: 50 }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
  client.write(rawRequest());
  const [socket] = (await once(server, "connection")) as [Socket];
  await once(socket, "close");
  client.destroy();
  server.close();
});

it("a long request is not closed because of a response that waits behind it on its connection", async () => {
  const held = holdDispatch();
  const dispatches = [held.dispatch, dispatch];
  const { port } = await serving(
    { dispatch: (request, exchange) => (dispatches.shift() ?? dispatch)(request, exchange) },
    { bodyTimeoutMs: 40 },
  );
  const { socket, received } = await dial(port, rawRequest() + rawRequest());
  await vi.waitFor(() => expect(dispatches).toHaveLength(0));
  await new Promise((resolve) => setTimeout(resolve, 120));
  held.finish();
  await once(socket, "data");
  socket.end();
  expect((await received).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
});

it("a client that leaves in the middle of its body releases its slot", async () => {
  const { url, port } = await serving({ dispatch }, { maxReceivingRequests: 1 });
  const { socket } = await dial(port, rawRequest(body.length + 10));
  await vi.waitUntil(async () => (await post(url)).status === 503, { interval: 1 });
  socket.destroy();
  await vi.waitUntil(async () => (await post(url)).status === 200, { interval: 1 });
});

it("requests on one connection are answered in their order", async () => {
  const { port } = await serving({ dispatch: async (request) => ({ ...complete, id: request.id }) });
  const second = rawRequest()
    .replace("Content-Type", "Connection: close\r\nContent-Type")
    .replace("Host", "Connection: close\r\nHost");
  const { received } = await dial(port, rawRequest() + second);
  expect((await received).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
});

it("connections beyond the limit are closed immediately, and new ones are accepted after others have closed", async () => {
  const onConnectionRefused = vi.fn();
  const server = await serving({ dispatch }, { maxConnections: 1, onConnectionRefused });
  const first = await dial(server.port, "");
  await vi.waitFor(() => expect(server.connections).toBe(1));
  expect(await (await dial(server.port, rawRequest())).received).toBe("");
  expect(onConnectionRefused).toHaveBeenCalledOnce();
  first.socket.destroy();
  await vi.waitFor(() => expect(server.connections).toBe(0));
  expect((await post(server.url)).status).toBe(200);
});

it.each(["", "POST /mcp HTTP/1.1\r\nHost: loc"])(
  "a connection that has sent only %j after headerTimeoutMs gets 408 and is closed",
  async (sent) => {
    const { port } = await serving({ dispatch }, { headerTimeoutMs: 40 });
    expect(await (await dial(port, sent)).received).toMatch(/^HTTP\/1.1 408 /);
  },
);

it("an idle connection is closed after idleTimeoutMs", async () => {
  const { port } = await serving({ dispatch }, { idleTimeoutMs: 20 });
  expect(await (await dial(port, rawRequest())).received).toMatch(/^HTTP\/1.1 200 /);
});

it.each<[string, string, string | undefined]>([
  ["names the idle time to a client that may reuse its connection", "", "timeout=75"],
  ["names no idle time to a client that closes its connection", "Connection: close\r\n", undefined],
])("a response %s", async (_what, connection, expected) => {
  const { port } = await serving({ dispatch }, {});
  const request = rawRequest().replace("Host: localhost\r\n", `Host: localhost\r\n${connection}`);
  const { socket } = await dial(port, request);
  const [response] = await once(socket, "data");
  expect(/^keep-alive: (.*)\r$/im.exec(String(response))?.[1]).toBe(expected);
  socket.destroy();
});

it("a response that refuses the rest of a body closes the connection and names no idle time", async () => {
  const { port } = await serving({ dispatch }, { maxBodyBytes: 10 });
  const response = await (await dial(port, rawRequest())).received;
  expect(response).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nConnection: close\r\n/);
  expect(response).not.toMatch(/^keep-alive:/im);
});

it("a larger request head than the limit gets 431", async () => {
  const { port } = await serving({ dispatch }, { maxHeaderBytes: 2_000 });
  const request = rawRequest().replace("Host: localhost", `Host: localhost\r\nX-Long: ${"x".repeat(3_000)}`);
  expect(await (await dial(port, request)).received).toMatch(/^HTTP\/1.1 431 /);
});
