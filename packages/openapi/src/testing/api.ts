// An HTTP API of this process that records its requests, and a client of a server on which it is mounted.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, connect } from "@lethe/client";
import type { JsonObject } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { type OpenApiOptions, openapi } from "../index.ts";

export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface TestApi {
  readonly url: string;
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

/** Answers every request as `answer` says, by default with an empty object. */
export async function startApi(
  answer: (res: ServerResponse, request: RecordedRequest) => void = empty,
): Promise<TestApi> {
  const requests: RecordedRequest[] = [];
  const server = createHttpServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    const request = { method: req.method ?? "", url: req.url ?? "", headers: req.headers, body };
    requests.push(request);
    answer(res, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function empty(res: ServerResponse): void {
  res.setHeader("content-type", "application/json");
  res.end("{}");
}

export function sendJson(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify(value));
}

/** A spec with these paths. */
export function specOf(paths: JsonObject, rest: JsonObject = {}): JsonObject {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths, ...rest };
}

/** A client of a server that serves the API under the prefix "api". */
export async function connectApi(spec: JsonObject, options: OpenApiOptions): Promise<Client> {
  const server = createServer({ name: "host", version: "1.0.0" }).mount("api", openapi(spec, options));
  return connect(server) as Promise<Client>;
}

/** The text of the first block of a result. */
export function textOf(result: { content: readonly unknown[] }): string {
  return String((result.content[0] as { text?: unknown }).text);
}
