// HTTP+SSE of 2024-11-05 (D-32), behind the core contract.
import type { ServerResponse } from "node:http";
import type { JsonRpcMessage } from "@lethe/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNodeSend } from "../node/http-send.ts";
import { connectHttpSse } from "./connect-legacy-http.ts";
import { type FakeHttpServer, openStream, startFakeHttpServer } from "./testing/fake-http-server.ts";
import { createFakeExchange, modernRequest } from "./testing/fake-legacy-server.ts";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server whose stream names `endpoint`, and which answers posts to it on the stream. */
async function serve(endpoint: string, status = 202, result: unknown = { tools: [] }) {
  let stream: ServerResponse | undefined;
  const say = (message: JsonRpcMessage) => stream?.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const server: FakeHttpServer = await startFakeHttpServer(({ method, body, response }) => {
    if (method === "GET") {
      stream = openStream(response);
      stream.write(`: hello\n\nevent: endpoint\ndata: ${endpoint}\n\n`);
      return true;
    }
    response.writeHead(body.method === "tools/list" ? status : 202).end("Accepted");
    if (body.method === "initialize") {
      const handshake = {
        protocolVersion: "2024-11-05",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      };
      say({ jsonrpc: "2.0", id: body.id, result: handshake });
    } else if (body.id !== undefined && status === 202) {
      stream?.write("event: other\ndata: x\n\nevent: message\ndata: garbage\n\n");
      say({ jsonrpc: "2.0", id: body.id, result } as JsonRpcMessage);
    }
    return true;
  });
  const { send, close } = createNodeSend();
  cleanups.push(server.close, close);
  const connect = async () => {
    const connection = await connectHttpSse(
      { url: server.url, send },
      { onWarning: () => {}, connectTimeoutMs: 2_000 },
    );
    cleanups.push(connection.close);
    return connection;
  };
  return { server, connect, breakStream: () => stream?.end(), writeToStream: (text: string) => stream?.write(text) };
}

const list = modernRequest("tools/list");

describe("HTTP+SSE connections", () => {
  it("rejects a request at once when its response is not JSON-RPC", async () => {
    const { connect } = await serve("/messages", 202, null);
    const connection = await connect();
    await expect(connection.dispatch(list, createFakeExchange())).rejects.toMatchObject({ reason: "invalid" });
  });

  it("answers an input request that is nested too deeply, so that the server does not wait", async () => {
    const { server, connect, writeToStream } = await serve("/messages");
    await connect();
    const nested = "[".repeat(20_000) + "]".repeat(20_000);
    writeToStream(`data: {"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"a":${nested}}}\n\n`);
    await vi.waitFor(() =>
      expect(server.events.map(({ body }) => body)).toContainEqual(
        expect.objectContaining({ id: "q", error: expect.objectContaining({ code: -32600 }) }),
      ),
    );
  });

  it("posts to the endpoint that the stream names, and receives all messages on the stream (D-32)", async () => {
    const { server, connect } = await serve("/messages/?session_id=abc");
    const connection = await connect();
    expect([connection.era, connection.revision]).toEqual(["legacy", "2024-11-05"]);
    expect(await connection.dispatch(list, createFakeExchange())).toMatchObject({ resultType: "complete", tools: [] });
    expect(server.events.every(({ headers }) => !("mcp-protocol-version" in headers))).toBe(true);
  });

  it.each(["http://127.0.0.1:1/messages", "https://evil.example/", "//evil.example/x", "http://["])(
    "refuses the endpoint %s (D-32)",
    async (endpoint) => {
      const { server, connect } = await serve(endpoint);
      await expect(connect()).rejects.toMatchObject({ name: "TransportError", reason: "invalid" });
      expect(server.events.every(({ method }) => method === "GET")).toBe(true);
    },
  );

  it("leaves no timer behind that would keep a process alive when no server answers", async () => {
    vi.useFakeTimers();
    cleanups.push(() => void vi.useRealTimers());
    const send = () => Promise.reject(new Error("nobody"));
    await expect(connectHttpSse({ url: new URL("http://x/sse"), send })).rejects.toMatchObject({ reason: "lost" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("closes with its stream and rejects open requests (D-32)", async () => {
    const { connect, breakStream } = await serve("/messages");
    const connection = await connect();
    breakStream();
    expect(await connection.closed).toMatchObject({ reason: expect.stringContaining("ended the event stream") });
    await expect(connection.dispatch(list, createFakeExchange())).rejects.toMatchObject({ reason: "lost" });
  });

  it("reports the status with which the server rejected a message", async () => {
    const { connect } = await serve("/messages", 413);
    const connection = await connect();
    await expect(connection.dispatch(list, createFakeExchange())).rejects.toMatchObject({
      reason: "status",
      status: 413,
    });
  });

  it("rejects a server that opens no stream", async () => {
    const server = await startFakeHttpServer(({ response }) => Boolean(response.writeHead(405).end()));
    const { send, close } = createNodeSend();
    cleanups.push(server.close, close);
    await expect(connectHttpSse({ url: server.url, send })).rejects.toMatchObject({ reason: "status", status: 405 });
  });

  it("times out when the stream names no endpoint", async () => {
    const server = await startFakeHttpServer(({ response }) => Boolean(openStream(response)));
    const { send, close } = createNodeSend();
    cleanups.push(server.close, close);
    const connecting = connectHttpSse({ url: server.url, send }, { connectTimeoutMs: 50 });
    await expect(connecting).rejects.toMatchObject({ reason: "timeout" });
  });

  it("stops connecting when the caller aborts, at any step", async () => {
    const controller = new AbortController();
    const server = await startFakeHttpServer(({ response }) => {
      openStream(response);
      controller.abort("enough");
      return true;
    });
    const { send, close } = createNodeSend();
    cleanups.push(server.close, close);
    const connecting = connectHttpSse({ url: server.url, send }, { signal: controller.signal });
    await expect(connecting).rejects.toMatchObject({ reason: "cancelled", cause: "enough" });
    const again = connectHttpSse({ url: server.url, send }, { signal: controller.signal });
    await expect(again).rejects.toMatchObject({ reason: "cancelled" });
    expect(server.events).toHaveLength(1);
  });
});
