// A legacy server over HTTP for tests: sessions, streams that can be broken and resumed, and custom handling by a test.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, JsonRpcMessage, JsonRpcRequest } from "@lethe/protocol";

export interface HttpEvent {
  readonly method: string;
  /** Undefined for GET and DELETE. */
  readonly body: JsonRpcRequest;
  readonly headers: IncomingMessage["headers"];
  readonly response: ServerResponse;
}

/** True when it has answered, or will. */
export type OnHttp = (event: HttpEvent, server: FakeHttpServer) => boolean;

export interface FakeHttpServer {
  readonly url: URL;
  readonly events: HttpEvent[];
  /** The session that is served; another one after `forget`. */
  session: string;
  /** The GET streams that are open. */
  readonly streams: ServerResponse[];
  forget(): void;
  close(): Promise<void>;
}

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };

/** Serves the handshake, pings, subscriptions and tools/list by itself; `onHttp` comes first. */
export async function startFakeHttpServer(onHttp: OnHttp = () => false): Promise<FakeHttpServer> {
  let sessions = 1;
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { method = "", headers } = request;
    const event = { method, headers, response, body: text === "" ? undefined : JSON.parse(text) } as HttpEvent;
    server.events.push(event);
    if (!onHttp(event, server)) answer(event);
  });
  const server: FakeHttpServer = {
    url: new URL("http://127.0.0.1"),
    events: [],
    session: "s1",
    streams: [],
    forget() {
      server.session = `s${++sessions}`;
    },
    close() {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(() => resolve()));
    },
  };

  function answer({ method, body, headers, response }: HttpEvent): void {
    if (body?.method === "initialize") {
      const serverInfo = { name: "fake", version: server.session };
      const result = { protocolVersion: "2025-11-25", capabilities, serverInfo };
      sendJson(response, { jsonrpc: "2.0", id: body.id, result }, 200, { "mcp-session-id": server.session });
    } else if (headers["mcp-session-id"] !== server.session) {
      sendJson(response, { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }, 404);
    } else if (method === "GET") {
      server.streams.push(openStream(response));
    } else if (method === "DELETE" || body.id === undefined || !("method" in body)) {
      response.writeHead(202).end();
    } else {
      const result = body.method === "tools/list" ? { tools: [] } : {};
      sendJson(response, { jsonrpc: "2.0", id: body.id, result });
    }
  }

  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return Object.assign(server, { url: new URL(`http://127.0.0.1:${port}/mcp`) });
}

export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: JsonObject = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...(headers as Record<string, string>) });
  response.end(JSON.stringify(value));
}

export function openStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return response;
}

export function sendEvent(stream: ServerResponse, message: JsonRpcMessage, id?: string): void {
  stream.write(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`);
}
