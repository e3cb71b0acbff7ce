// The two platforms of an HTTP edge, so that one test runs on both: the fetch handler called with a Request, and node:http over a
// real socket.
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createSseDecoder, isJsonObject, type JsonObject } from "@lethe/protocol";
import { describe } from "vitest";
import { createFetchHandler } from "../http/fetch-handler.ts";
import type { HttpOptions } from "../http/http-options.ts";
import type { ServableTarget } from "../http/servable.ts";
import { createNodeHandler } from "../node/node-handler.ts";
import { version } from "./messages.ts";

export interface Sent {
  verb?: string;
  path?: string;
  /** A message gets matching headers. Text and bytes are sent unchanged. */
  body?: JsonObject | unknown[] | string | AsyncIterable<Uint8Array>;
  /** Override the default headers: undefined omits a header, an array sends it several times. */
  headers?: Record<string, string | string[] | undefined>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text(): Promise<string>;
  json(): Promise<JsonObject>;
  /** The messages of an event stream as they arrive. */
  messages(): AsyncGenerator<JsonObject, void>;
  chunks: AsyncIterator<Uint8Array>;
}

export interface Client {
  send(sent: Sent): Promise<Answer>;
  /** Sends a request, and closes its connection when `leave` is called. */
  open(sent: Sent): { answer: Promise<Answer>; leave(): void };
}

export interface HttpPlatform {
  name: string;
  open(target: ServableTarget, options?: HttpOptions): Promise<Client & AsyncDisposable>;
}

const host = "127.0.0.1:3000";

export const fetchPlatform: HttpPlatform = {
  name: "fetch",
  async open(target, options) {
    const handler = createFetchHandler(target, options);
    const open: Client["open"] = (sent) => {
      const controller = new AbortController();
      const headers = toHeaders(sent).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
      const request = new Request(`http://${host}${sent.path ?? "/mcp"}`, {
        method: sent.verb ?? "POST",
        headers: headers as [string, string][],
        body: toBody(sent.body) as ReadableStream,
        duplex: "half",
        signal: controller.signal,
      } as RequestInit);
      return { answer: handler(request).then(fromResponse), leave: () => controller.abort() };
    };
    return { open, send: (sent) => open(sent).answer, async [Symbol.asyncDispose]() {} };
  },
};

const nodePlatform: HttpPlatform = {
  name: "node:http",
  async open(target, options) {
    const server = createServer(createNodeHandler(target, options));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const open: Client["open"] = (sent) => {
      const headers = Object.fromEntries(toHeaders(sent));
      const call = httpRequest({ port, method: sent.verb ?? "POST", path: sent.path ?? "/mcp", headers, agent: false });
      const answer = new Promise<Answer>((resolve, reject) => {
        call.on("error", reject);
        call.on("response", (response) => {
          const answered = new Headers();
          for (const [name, value] of Object.entries(response.headers)) answered.set(name, String(value));
          resolve(toAnswer(response.statusCode ?? 0, answered, response[Symbol.asyncIterator]()));
        });
      });
      answer.catch(() => {});
      const body = toBody(sent.body);
      if (body instanceof ReadableStream) void pump(body, call);
      else call.end(body);
      return { answer, leave: () => call.destroy() };
    };
    return {
      open,
      send: (sent) => open(sent).answer,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
};

export function describeMatrix(what: string, run: (platform: HttpPlatform) => void): void {
  for (const platform of [fetchPlatform, nodePlatform]) describe(`${what} over ${platform.name}`, () => run(platform));
}

function toHeaders({ body, headers = {} }: Sent): [string, string | string[]][] {
  const message = isJsonObject(body) && !(Symbol.asyncIterator in body) ? body : undefined;
  const params = isJsonObject(message?.params) ? message.params : undefined;
  const name = params?.name ?? params?.uri;
  const all: NonNullable<Sent["headers"]> = {
    host,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": message ? version : undefined,
    "mcp-method": typeof message?.method === "string" ? message.method : undefined,
    "mcp-name": typeof name === "string" ? name : undefined,
    ...headers,
  };
  return Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
}

function toBody(body: Sent["body"]): string | ReadableStream<Uint8Array> | undefined {
  if (body === undefined || typeof body === "string") return body;
  if (Symbol.asyncIterator in body) return toStream(body as AsyncIterable<Uint8Array>);
  return JSON.stringify(body);
}

function toStream(chunks: AsyncIterable<Uint8Array> | Uint8Array[]): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>;
}

async function pump(body: ReadableStream<Uint8Array>, call: ReturnType<typeof httpRequest>): Promise<void> {
  for await (const chunk of body) if (!call.destroyed) call.write(chunk);
  call.end();
}

function fromResponse(response: Response): Answer {
  const body = (response.body ?? toStream([])) as unknown as AsyncIterable<Uint8Array>;
  return toAnswer(response.status, response.headers, body[Symbol.asyncIterator]());
}

function toAnswer(status: number, headers: Headers, chunks: AsyncIterator<Uint8Array>): Answer {
  const iterable = { [Symbol.asyncIterator]: () => chunks };
  const text = async (): Promise<string> => {
    let all = "";
    const decoder = new TextDecoder();
    for await (const chunk of iterable) all += decoder.decode(chunk, { stream: true });
    return all;
  };
  return {
    status,
    headers,
    chunks,
    text,
    json: async () => JSON.parse(await text()),
    async *messages() {
      const events = createSseDecoder();
      const decoder = new TextDecoder();
      for await (const chunk of iterable) {
        for (const event of events.push(decoder.decode(chunk, { stream: true }))) yield JSON.parse(event.data);
      }
    },
  };
}
