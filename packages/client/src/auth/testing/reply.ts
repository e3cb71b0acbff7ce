// An answer over node:http, so that a test server is functions from a request to one of these.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@lethe/protocol";

export interface Reply {
  readonly status: number;
  readonly body?: JsonObject;
  readonly headers?: Record<string, string>;
}

export interface Listening {
  readonly origin: string;
  close(): Promise<void>;
}

/** On a free port of this machine. What `answer` throws becomes a 500. */
export async function listen(
  answer: (url: URL, request: IncomingMessage, text: string) => Reply | Promise<Reply>,
): Promise<Listening> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    try {
      send(response, await answer(new URL(request.url ?? "/", origin), request, text));
    } catch (error) {
      send(response, { status: 500, body: { error: String(error) } });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function send(response: ServerResponse, { status, body = {}, headers }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
