// One client of the administration's event stream. The rings of exchanges and log entries are its buffer: a slow client misses what they
// drop.
import { toSseEvent } from "@lethe/protocol";
import type { RouteStream } from "@lethe/server/edge";
import type { ExchangeQuery, ExchangeRing } from "../observe/exchange-ring.ts";
import type { LogEntry } from "../observe/log.ts";
import type { LogTail } from "../observe/log-tail.ts";
import { toExchange } from "./answers/exchange-answers.ts";
import type { AdminEventData, LogEvent } from "./api/events.ts";

/** Beyond this many bytes that the client has not read, nothing is written until it has read them. */
const maxUnsentBytes = 1024 * 1024;
const exchangesAtOnce = 50;

/** Where a stream continues: after these exchanges and log entries. */
export interface StreamPosition {
  readonly exchange: number | undefined;
  readonly log: number;
}

export interface EventStreamOptions {
  readonly stream: RouteStream;
  readonly exchanges: ExchangeRing;
  readonly log: LogTail;
  readonly query: ExchangeQuery;
  readonly begin: StreamPosition;
  /** The first characters of the id of this replica, which is another one after each start. */
  readonly replica: string;
}

export class AdminEventStream {
  /** The client has missed changes of the state, and needs the whole state. */
  isBehind = true;
  readonly #options: EventStreamOptions;
  readonly #stopListening: readonly (() => void)[];
  /** The number of the last exchange that was considered. Undefined at the beginning of a stream that resumes no other. */
  #exchange: number | undefined;
  #log: number;
  #isSending = false;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    const { exchanges, log, begin } = options;
    this.#options = options;
    this.#exchange = begin.exchange;
    this.#log = begin.log;
    const send = () => void this.#sendNew();
    this.#stopListening = [exchanges.onAdded(send), log.onAdded(send)];
    send();
  }

  get isSlow(): boolean {
    return this.#options.stream.bufferedBytes > maxUnsentBytes;
  }

  send<K extends keyof AdminEventData>(event: K, data: AdminEventData[K]): void {
    this.sendText(event, JSON.stringify(data));
  }

  /** For an event of which several streams get the same text. */
  sendText(event: keyof AdminEventData, data: string, id?: string): void {
    this.#options.stream.send(toSseEvent(data, { event, ...(id !== undefined && { id }) }));
  }

  end(): void {
    this.left();
    this.#options.stream.end();
  }

  left(): void {
    this.#isOver = true;
    for (const stop of this.#stopListening) stop();
  }

  async #sendNew(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let hasMore = true; hasMore && !this.#isOver; ) {
      this.#sendLog();
      hasMore = this.#sendExchanges();
      // Others may have been added while the client read.
      if (!this.isSlow) continue;
      hasMore = true;
      await this.#options.stream.drained();
    }
    this.#isSending = false;
  }

  /** Returns whether newer exchanges are kept. */
  #sendExchanges(): boolean {
    const { exchanges, query, replica } = this.#options;
    const {
      missed,
      last,
      exchanges: kept,
      hasMore,
    } = exchanges.read({
      ...{ ...query, after: this.#exchange, limit: exchangesAtOnce },
    });
    if (this.#exchange !== undefined && missed > 0) this.send("gap", { missed });
    for (const exchange of kept) {
      this.#exchange = exchange.id;
      this.sendText("exchange", JSON.stringify(toExchange(exchange, replica)), this.#position);
    }
    this.#exchange = last;
    return hasMore;
  }

  #sendLog(): void {
    const { entries, last } = this.#options.log.read(this.#log);
    this.#log = last - entries.length;
    for (const entry of entries) {
      this.#log += 1;
      this.sendText("log", JSON.stringify(toLogEvent(entry)), this.#position);
    }
  }

  /** The id of an event: the client sends the last one when it connects again. */
  get #position(): string {
    return `${this.#options.replica}.${this.#exchange ?? -1}.${this.#log}`;
  }
}

/** Returns where the client of another stream of this replica stopped reading; undefined for other ids. */
export function parsePosition(id: string | undefined, replica: string): StreamPosition | undefined {
  const [run, exchange = "", log = ""] = id?.split(".") ?? [];
  if (run !== replica || !/^(?:-1|\d{1,15})$/.test(exchange) || !/^\d{1,15}$/.test(log)) return undefined;
  return { exchange: Number(exchange), log: Number(log) };
}

function toLogEvent({ time, level, event, message = "", ...fields }: LogEntry): LogEvent {
  return { time, level, event, message, fields };
}
