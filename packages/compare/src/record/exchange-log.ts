// Turns both directions of each HTTP connection into numbered exchanges, with their times and sizes.
import { type Bounds, type Collector, collectBody, collectEvents } from "./body-collector.ts";
import type { EventFilter } from "./endpoint-filter.ts";
import { createHttpParser, type Head, type HttpParser, headerOf } from "./http-parser.ts";
import type { Header, HttpExchange, HttpResponseRecord } from "./recording.ts";

export interface ExchangeLogOptions {
  /** Returns the milliseconds since the recording began. */
  now(): number;
  /** Bytes kept of one body or one event. Further bytes are only counted. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Bytes kept of all bodies and events together. Default 256 MiB. */
  maxKeptBytes?: number;
  /** Exchanges kept. Further traffic passes without being recorded. Default 10,000. */
  maxExchanges?: number;
  /** Called with a reason when the log drops content. The same reason may be reported several times. */
  onLoss?(reason: string): void;
  /** Called for each response as soon as its head has arrived. */
  onResponse?(exchange: HttpExchange): void;
}

/** The two directions of one connection, as the proxy forwards them. */
export interface Wire {
  /** Sends bytes to the server. The proxy may rewrite a head. */
  toServer(raw: Uint8Array, head?: Head): void;
  toClient(raw: Uint8Array): void;
  /** Returns a filter for an event stream opened by GET. It changes what the client gets, not what is recorded. */
  filterOf?(headers: readonly Header[]): EventFilter | undefined;
}

export class ExchangeLog {
  readonly exchanges: HttpExchange[] = [];
  readonly #options: ExchangeLogOptions;
  readonly #maxExchanges: number;
  readonly #bounds: Bounds;
  #connections = 0;

  constructor(options: ExchangeLogOptions) {
    const { now, maxBodyBytes = 1024 * 1024, maxKeptBytes = 256 * 1024 * 1024, maxExchanges = 10_000 } = options;
    this.#options = options;
    this.#maxExchanges = maxExchanges;
    this.#bounds = { now, maxBodyBytes, left: maxKeptBytes, onLoss: (reason) => options.onLoss?.(reason) };
  }

  connection(wire: Wire): ConnectionLog {
    this.#connections += 1;
    return new ConnectionLog({
      log: this,
      wire,
      number: this.#connections,
      bounds: this.#bounds,
      onResponse: this.#options.onResponse,
    });
  }

  add(exchange: HttpExchange): void {
    if (this.exchanges.length < this.#maxExchanges) this.exchanges.push(exchange);
    else this.#bounds.onLoss(`only the first ${this.#maxExchanges} requests are kept`);
  }
}

interface ConnectionOptions {
  readonly log: ExchangeLog;
  readonly wire: Wire;
  readonly number: number;
  readonly bounds: Bounds;
  readonly onResponse: ExchangeLogOptions["onResponse"];
}

export class ConnectionLog {
  readonly fromClient: HttpParser;
  readonly fromServer: HttpParser;
  readonly #options: ConnectionOptions;
  /** Exchanges whose responses have not ended, in request order: HTTP/1.1 responses keep that order. */
  readonly #pending: HttpExchange[] = [];
  #request: { exchange: HttpExchange; text: Collector } | undefined;
  #response: { record: HttpResponseRecord; text: Collector } | undefined;
  #filter: EventFilter | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.fromClient = createHttpParser({
      onHead: (head, raw) => this.#onRequestHead(head, raw),
      onBody: (content, raw) => this.#onRequestBody(content, raw),
      onEnd: () => this.#endRequest(),
    });
    this.fromServer = createHttpParser({
      verbOf: () => this.#pending[0]?.request.verb,
      onHead: (head, raw) => this.#onResponseHead(head, raw),
      onBody: (content, raw) => this.#onResponseBody(content, raw),
      onEnd: () => this.#onResponseEnd(),
    });
  }

  /** Sends the client the bytes that the filter still holds. Called when the rest of the connection is no longer parsed. */
  release(): void {
    const rest = this.#filter?.end();
    this.#filter = undefined;
    if (rest && rest.length > 0) this.#options.wire.toClient(rest);
  }

  /** Called when either side has closed. Marks every pending exchange as cut off. */
  cut(): void {
    this.fromServer.end();
    this.#endRequest();
    this.#endResponse();
    this.release();
    for (const exchange of this.#pending.splice(0)) {
      exchange.endedAt = this.#options.bounds.now();
      exchange.isCut = true;
    }
  }

  #onRequestHead(head: Head, raw: Uint8Array): void {
    const { log, wire, number, bounds } = this.#options;
    const [verb = "", target = ""] = head.line.split(" ");
    const exchange: HttpExchange = {
      number: log.exchanges.length + 1,
      connection: number,
      startedAt: bounds.now(),
      request: { verb, target, headers: head.headers, body: "", headBytes: raw.length, bodyBytes: 0 },
    };
    this.#pending.push(exchange);
    log.add(exchange);
    this.#request = { exchange, text: collectBody(head.headers, bounds) };
    wire.toServer(raw, head);
  }

  #onRequestBody(content: Uint8Array, raw: Uint8Array): void {
    if (this.#request) {
      const { exchange, text } = this.#request;
      exchange.request.bodyBytes += raw.length;
      exchange.request.body += text.push(content);
    }
    this.#options.wire.toServer(raw);
  }

  #endRequest(): void {
    if (this.#request) this.#request.exchange.request.body += this.#request.text.end();
    this.#request = undefined;
  }

  #onResponseHead(head: Head, raw: Uint8Array): void {
    const status = Number(head.line.split(" ")[1]);
    const exchange = this.#pending[0];
    if (exchange && status >= 200) this.#beginResponse(exchange, { status, headers: head.headers, raw });
    this.#options.wire.toClient(raw);
  }

  #beginResponse(
    exchange: HttpExchange,
    { status, headers, raw }: { status: number; headers: readonly Header[]; raw: Uint8Array },
  ): void {
    const { wire, bounds, onResponse } = this.#options;
    const record: HttpResponseRecord = {
      status,
      headers,
      at: bounds.now(),
      body: "",
      headBytes: raw.length,
      bodyBytes: 0,
      ...(isEventStream(headers) && { events: [] }),
    };
    exchange.response = record;
    onResponse?.(exchange);
    const text = record.events ? collectEvents(record.events, headers, bounds) : collectBody(headers, bounds);
    this.#response = { record, text };
    if (record.events && exchange.request.verb === "GET") this.#filter = wire.filterOf?.(headers);
  }

  #onResponseBody(content: Uint8Array, raw: Uint8Array): void {
    if (this.#response) {
      const { record, text } = this.#response;
      record.bodyBytes += raw.length;
      record.body += text.push(content);
    }
    const shown = this.#filter ? this.#filter.push(content, raw) : raw;
    if (shown.length > 0) this.#options.wire.toClient(shown);
  }

  #onResponseEnd(): void {
    this.#endResponse();
    this.release();
    const exchange = this.#pending.shift();
    if (exchange) exchange.endedAt = this.#options.bounds.now();
  }

  #endResponse(): void {
    if (this.#response) this.#response.record.body += this.#response.text.end();
    this.#response = undefined;
  }
}

function isEventStream(headers: readonly Header[]): boolean {
  return (headerOf(headers, "content-type") ?? "").toLowerCase().startsWith("text/event-stream");
}
