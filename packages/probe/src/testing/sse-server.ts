// An HTTP+SSE server (2024-11-05) in the test's process.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { type Asked, answerLegacy } from "./odd-server.ts";

export interface SseServer {
  url: string;
  /** How many streams were opened in all. */
  opened(): number;
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface SseServerOptions {
  /** What the first event names; default the server's own address with the session in its query. */
  endpoint?(sessionId: string): string;
  /** The status that a POST to an unknown session gets; undefined never answers. Default 404. */
  foreignStatus?: number | undefined;
  /** The status of a POST to where the stream is. Default 404. */
  postStatus?: number;
  /** The last stream gets the response to every POST, regardless of the session that the POST names. */
  isShared?: boolean;
}

export async function startSseServer(options: SseServerOptions = {}): Promise<SseServer> {
  const { endpoint = (sessionId: string) => `/messages?session_id=${sessionId}` } = options;
  const foreignStatus = "foreignStatus" in options ? options.foreignStatus : 404;
  const streams = new Map<string, ServerResponse>();
  let opened = 0;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    if (request.method === "GET" && url.pathname === "/sse") {
      const sessionId = crypto.randomUUID();
      opened += 1;
      streams.set(sessionId, response);
      response.on("close", () => streams.delete(sessionId));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`event: endpoint\ndata: ${endpoint(sessionId)}\n\n`);
      return;
    }
    let text = "";
    for await (const part of request.setEncoding("utf8")) text += part;
    if (url.pathname !== "/messages") return void response.writeHead(options.postStatus ?? 404).end("not here");
    const named = streams.get(url.searchParams.get("session_id") ?? "");
    const stream = options.isShared ? [...streams.values()].at(-1) : named;
    if (!stream) {
      if (foreignStatus !== undefined) response.writeHead(foreignStatus).end();
      return;
    }
    response.writeHead(202).end("Accepted");
    const message = JSON.parse(text) as { id?: unknown; method: string; params?: Asked["params"] };
    if (message.id === undefined) return;
    const { body } = answerLegacy({ ...message, params: message.params ?? {} } as Asked);
    stream.write(`event: message\ndata: ${JSON.stringify(body)}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    opened: () => opened,
    connections: promisify(server.getConnections.bind(server)) as () => Promise<number>,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
