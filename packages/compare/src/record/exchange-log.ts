// Turns the two directions of each connection into numbered exchanges: who asked what, what came back and when.
import { type Bounds, type Collector, collectBody, collectEvents } from "./body-collector.ts";
import type { EventFilter } from "./endpoint-filter.ts";
import { createHttpParser, type Head, type HttpParser, headerOf } from "./http-parser.ts";
import type { Header, HttpExchange, HttpResponseRecord } from "./recording.ts";

export interface ExchangeLogOptions {
  /** Milliseconds, from the same clock as everything else in the recording. */
  now(): number;
  /** Of one body, or one event of a stream: the rest is counted, not kept. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Of all bodies and events together. Default 256 MiB. */
  maxKeptBytes?: number;
  /** Default 10,000; the traffic goes on without record. */
  maxExchanges?: number;
  /** Hears what is not kept although it is within the bound of its own. May hear the same again. */
  onLoss?(what: string): void;
  /** Hears of each answer when its head has come. */
  onAnswer?(exchange: HttpExchange): void;
}

export interface Wire {
  /** To the server. `raw` is what came; a head may be replaced. */
  toServer(raw: Uint8Array, head?: Head): void;
  toClient(raw: Uint8Array): void;
  /** For an event stream that was asked for by GET: changes what goes to the client, not what is recorded. */
  filterOf?(headers: readonly Header[]): EventFilter | undefined;
}

export interface ConnectionLog {
  readonly fromClient: HttpParser;
  readonly fromServer: HttpParser;
  /** Passes on what a filter still holds: what follows is not read any more. */
  release(): void;
  /** Either side is gone. */
  cut(): void;
}

export interface ExchangeLog {
  readonly exchanges: HttpExchange[];
  connection(wire: Wire): ConnectionLog;
}

export function createExchangeLog(options: ExchangeLogOptions): ExchangeLog {
  const { now, maxBodyBytes = 1024 * 1024, maxKeptBytes = 256 * 1024 * 1024, maxExchanges = 10_000 } = options;
  const { onLoss = () => {}, onAnswer } = options;
  const bounds: Bounds = { now, maxBodyBytes, left: maxKeptBytes, onLoss };
  const exchanges: HttpExchange[] = [];
  let connections = 0;

  function connection(wire: Wire): ConnectionLog {
    connections += 1;
    const number = connections;
    /** Requests whose answers have not ended, in their order: HTTP/1.1 answers in it. */
    const open: HttpExchange[] = [];
    let request: { exchange: HttpExchange; text: Collector } | undefined;
    let response: { record: HttpResponseRecord; text: Collector } | undefined;
    let filter: EventFilter | undefined;

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
        else onLoss(`only the first ${maxExchanges} requests are kept`);
        request = { exchange, text: collectBody(head.headers, bounds) };
        wire.toServer(raw, head);
      },
      onBody(content, raw) {
        if (request) {
          request.exchange.request.bodyBytes += raw.length;
          request.exchange.request.body += request.text.push(content);
        }
        wire.toServer(raw);
      },
      onEnd() {
        if (request) request.exchange.request.body += request.text.end();
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
          onAnswer?.(exchange);
          const text = record.events
            ? collectEvents(record.events, head.headers, bounds)
            : collectBody(head.headers, bounds);
          response = { record, text };
          if (record.events && exchange.request.verb === "GET") filter = wire.filterOf?.(head.headers);
        }
        wire.toClient(raw);
      },
      onBody(content, raw) {
        if (response) {
          response.record.bodyBytes += raw.length;
          response.record.body += response.text.push(content);
        }
        const shown = filter ? filter.push(content, raw) : raw;
        if (shown.length > 0) wire.toClient(shown);
      },
      onEnd() {
        if (response) response.record.body += response.text.end();
        response = undefined;
        release();
        const exchange = open.shift();
        if (exchange) exchange.endedAt = now();
      },
    });

    function release(): void {
      const rest = filter?.end();
      filter = undefined;
      if (rest && rest.length > 0) wire.toClient(rest);
    }

    return {
      fromClient,
      fromServer,
      release,
      cut() {
        fromServer.end();
        if (request) request.exchange.request.body += request.text.end();
        if (response) response.record.body += response.text.end();
        request = undefined;
        response = undefined;
        release();
        for (const exchange of open.splice(0)) {
          exchange.endedAt = now();
          exchange.isCut = true;
        }
      },
    };
  }

  return { exchanges, connection };
}

function isEventStream(headers: readonly Header[]): boolean {
  return (headerOf(headers, "content-type") ?? "").toLowerCase().startsWith("text/event-stream");
}
