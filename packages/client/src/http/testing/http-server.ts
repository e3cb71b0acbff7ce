// A server over node:http, written by hand in each test: it answers what the test wants, right or wrong.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { JsonObject, JsonRpcRequest } from "@lethe/protocol";

export interface Received {
  readonly body: JsonRpcRequest & { params: JsonObject };
  readonly headers: IncomingMessage["headers"];
}

export interface HttpServer {
  readonly url: URL;
  readonly received: Received[];
  /** How many sockets are open. */
  sockets(): Promise<number>;
  /** Resolves when no socket is open, however long that takes. */
  untilNoSockets(): Promise<void>;
  /** Closes the connections that serve no request. */
  closeIdle(): void;
  close(): Promise<void>;
}

export type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

export async function startHttpServer(answer: Answer): Promise<HttpServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const one: Received = { body: text === "" ? undefined : JSON.parse(text), headers: request.headers };
    received.push(one);
    await answer(one, response, request);
  });
  const open = new Set<Socket>();
  let notice = (): void => {};
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      notice();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    received,
    sockets: () => new Promise((resolve, reject) => server.getConnections((e, n) => (e ? reject(e) : resolve(n)))),
    async untilNoSockets() {
      while (open.size > 0) {
        await new Promise<void>((resolve) => {
          notice = resolve;
        });
      }
    },
    closeIdle: () => server.closeIdleConnections(),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: JsonObject = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...(headers as Record<string, string>) });
  response.end(JSON.stringify(value));
}

export function sendResult(response: ServerResponse, { body }: Received, result: JsonObject): void {
  sendJson(response, { jsonrpc: "2.0", id: body.id, result: { resultType: "complete", ...result } });
}

export function sendError(response: ServerResponse, { body }: Received, error: JsonObject, status = 400): void {
  sendJson(response, { jsonrpc: "2.0", id: body.id, error: { message: "refused", ...error } }, status);
}

/** Opens an event stream; `message` writes one JSON-RPC message. */
export function openStream(response: ServerResponse): { message(value: unknown): void; end(): void } {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return {
    message: (value) => response.write(`data: ${JSON.stringify(value)}\n\n`),
    end: () => response.end(),
  };
}
