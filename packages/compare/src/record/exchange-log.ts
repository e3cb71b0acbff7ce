// Turns the two directions of each connection into numbered exchanges: who asked what, what came back and when.
import { StringDecoder } from "node:string_decoder";
import { createSseDecoder } from "@lethe/protocol";
import { createHttpParser, type Head, type HttpParser, headerOf } from "./http-parser.ts";
import type { Header, HttpExchange, HttpResponseRecord } from "./recording.ts";

export interface ExchangeLogOptions {
  /** Milliseconds, from the same clock as everything else in the recording. */
  now(): number;
  /** Of one body or event stream: the rest is counted, not kept. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Default 10,000; the traffic goes on without record. */
  maxExchanges?: number;
}

export interface Wire {
  /** To the server. `raw` is what came; a head may be replaced. */
  toServer(raw: Uint8Array, head?: Head): void;
  toClient(raw: Uint8Array): void;
}

export interface ConnectionLog {
  readonly fromClient: HttpParser;
  readonly fromServer: HttpParser;
  /** Either side is gone. */
  cut(): void;
}

export interface ExchangeLog {
  readonly exchanges: HttpExchange[];
  connection(wire: Wire): ConnectionLog;
}

export function createExchangeLog(options: ExchangeLogOptions): ExchangeLog {
  const { now, maxBodyBytes = 1024 * 1024, maxExchanges = 10_000 } = options;
  const exchanges: HttpExchange[] = [];
  let connections = 0;

  function connection(wire: Wire): ConnectionLog {
    connections += 1;
    const number = connections;
    /** Requests whose answers have not ended, in their order: HTTP/1.1 answers in it. */
    const open: HttpExchange[] = [];
    let request: { exchange: HttpExchange; text: Collector } | undefined;
    let response: { record: HttpResponseRecord; text: Collector } | undefined;

    const fromClient = createHttpParser({
      onHead(head, raw) {
        const [verb = "", target = ""] = head.line.split(" ");
        const exchange: HttpExchange = {
          number: exchanges.length + 1,
          connection: number,
          startedAt: now(),
          request: { verb, target, headers: head.headers, body: "", headBytes: raw.length, bodyBytes: 0 },
        };
        open.push(exchange);
        if (exchanges.length < maxExchanges) exchanges.push(exchange);
        request = { exchange, text: collect(maxBodyBytes, head.headers) };
        wire.toServer(raw, head);
      },
      onBody(content, raw) {
        if (request) {
          request.exchange.request.bodyBytes += raw.length;
          request.exchange.request.body += request.text(content);
        }
        wire.toServer(raw);
      },
      onEnd() {
        request = undefined;
      },
    });

    const fromServer = createHttpParser({
      verbOf: () => open[0]?.request.verb,
      onHead(head, raw) {
        const status = Number(head.line.split(" ")[1]);
        const exchange = open[0];
        if (exchange && status >= 200) {
          const record: HttpResponseRecord = {
            status,
            headers: head.headers,
            at: now(),
            body: "",
            headBytes: raw.length,
            bodyBytes: 0,
            ...(isEventStream(head.headers) && { events: [] }),
          };
          exchange.response = record;
          const text = record.events
            ? collectEvents(record.events, now, maxBodyBytes)
            : collect(maxBodyBytes, head.headers);
          response = { record, text };
        }
        wire.toClient(raw);
      },
      onBody(content, raw) {
        if (response) {
          response.record.bodyBytes += raw.length;
          response.record.body += response.text(content);
        }
        wire.toClient(raw);
      },
      onEnd() {
        response = undefined;
        const exchange = open.shift();
        if (exchange) exchange.endedAt = now();
      },
    });

    return {
      fromClient,
      fromServer,
      cut() {
        fromServer.end();
        for (const exchange of open.splice(0)) {
          exchange.endedAt = now();
          exchange.isCut = true;
        }
      },
    };
  }

  return { exchanges, connection };
}

type Collector = (content: Uint8Array) => string;

function isEventStream(headers: readonly Header[]): boolean {
  return (headerOf(headers, "content-type") ?? "").toLowerCase().startsWith("text/event-stream");
}

/** The text of a body, piece by piece, up to a bound. A compressed body stays a count of bytes. */
function collect(maxBytes: number, headers: readonly Header[]): Collector {
  if ((headerOf(headers, "content-encoding") ?? "identity") !== "identity") return () => "";
  const decoder = new StringDecoder("utf8");
  let left = maxBytes;
  return (content) => {
    const kept = content.subarray(0, left);
    left -= kept.length;
    return decoder.write(Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength));
  };
}

function collectEvents(
  events: NonNullable<HttpResponseRecord["events"]>,
  now: () => number,
  maxBytes: number,
): Collector {
  const text = collect(maxBytes, []);
  const decoder = createSseDecoder({ maxEventBytes: maxBytes });
  return (content) => {
    for (const { event, data, id, retryMs } of decoder.push(text(content))) {
      events.push({
        at: now(),
        event,
        data,
        ...(id !== undefined && { id }),
        ...(retryMs !== undefined && { retryMs }),
      });
    }
    return "";
  };
}
