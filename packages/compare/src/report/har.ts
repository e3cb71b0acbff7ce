// Converts an HTTP recording to HTTP Archive (HAR) 1.2, which browsers and proxies can open.
import type { JsonObject } from "@lethe/protocol";
import { headerOf } from "../record/http-parser.ts";
import type { Header, HttpExchange, Recording } from "../record/recording.ts";

/** Converts a recording over HTTP to the HAR 1.2 format, which browser tools open. */
export function toHar({ exchanges, startedAt, endpoint }: Recording): JsonObject {
  const creator = { name: "lethe compare", version: "0.1.0" };
  const { origin } = new URL(endpoint);
  return {
    log: { version: "1.2", creator, pages: [], entries: exchanges.map((one) => toEntry(one, { startedAt, origin })) },
  };
}

function toEntry(
  exchange: HttpExchange,
  { startedAt: zero, origin }: { startedAt: number; origin: string },
): JsonObject {
  const { request, response, startedAt, endedAt = startedAt, connection } = exchange;
  const firstByte = response?.at ?? endedAt;
  const url = toUrl(request.target, origin);
  return {
    startedDateTime: new Date(zero + startedAt).toISOString(),
    time: endedAt - startedAt,
    connection: String(connection),
    cache: {},
    timings: { send: 0, wait: firstByte - startedAt, receive: Math.max(0, endedAt - firstByte) },
    request: {
      method: request.verb,
      url: url.href,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: request.headers.map(toPair),
      queryString: [...url.searchParams].map(toPair),
      headersSize: request.headBytes,
      bodySize: request.bodyBytes,
      ...(request.body !== "" && {
        postData: { mimeType: headerOf(request.headers, "content-type") ?? "", text: request.body },
      }),
    },
    response: toResponse(exchange),
  };
}

/** A HAR entry needs a URL, but a client may send any request target, such as `//` or `*`. */
function toUrl(target: string, origin: string): URL {
  const text = target.startsWith("/") ? origin + target : target;
  return new URL(URL.canParse(text) ? text : origin);
}

function toResponse({ response }: HttpExchange): JsonObject {
  const { status = 0, headers = [], headBytes = -1, bodyBytes = -1, body = "", events } = response ?? {};
  const text = events ? events.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join("") : body;
  return {
    status,
    statusText: "",
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: headers.map(toPair),
    redirectURL: headerOf(headers, "location") ?? "",
    headersSize: headBytes,
    bodySize: bodyBytes,
    content: { size: Buffer.byteLength(text), mimeType: headerOf(headers, "content-type") ?? "", text },
  };
}

function toPair([name, value]: Header): JsonObject {
  return { name, value };
}
