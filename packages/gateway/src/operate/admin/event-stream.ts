// One client of the administration's event stream. The rings of exchanges and log entries are its buffer: a slow client misses what they
// drop.
import { toSseEvent } from "@lethe/protocol";
import type { RouteStream } from "@lethe/server/edge";
import type { ExchangeQuery } from "../observe/exchange-ring.ts";
import type { LogEntry } from "../observe/log.ts";
import type { LogTail } from "../observe/log-tail.ts";
import type { AdminEventData, LogEvent } from "./api/events.ts";
import type { ExchangeReader } from "./exchange-reader.ts";
import { formatPosition, type StreamPosition, setPosition } from "./stream-position.ts";

/** Beyond this many bytes that the client has not read, nothing is written until it has read them. */
const maxUnsentBytes = 1024 * 1024;
/** The first exchanges and log entries after a quiet second are collected for this time, and later ones for the longer one. */
const collectMs = 100;
/** A write costs more than an exchange. */
const busyCollectMs = 500;
const quietMs = 1_000;
/** Exchanges in one write, so that a stream costs a busy gateway little, and the characters beyond which it has no further one. */
const maxAtOnce = 200;
const maxBatchLength = 64 * 1024;

export interface EventStreamOptions {
  readonly stream: RouteStream;
  /** The first characters of the id of this replica, which is another one after each start. */
  readonly replica: string;
  /** The exchanges of this replica. */
  readonly own: ExchangeReader;
  /** The exchanges of the other replicas that are followed now. */
  others(): Iterable<ExchangeReader>;
  readonly log: LogTail;
  readonly query: ExchangeQuery;
  readonly begin: StreamPosition;
}

export class AdminEventStream {
  /** The client has missed changes of the state, and needs the whole state. */
  isBehind = true;
  readonly #options: EventStreamOptions;
  readonly #stopListening: () => void;
  /** By replica, the number of the last exchange that was considered. */
  readonly #positions: Map<string, number>;
  /** By replica, the number of exchanges left out that the client knows of. */
  readonly #leftOut = new Map<string, number>();
  #log: number;
  #timer: NodeJS.Timeout | undefined;
  /** The events of the next write. */
  #batch = "";
  #isOver = false;
  /** When the last batch was sent. */
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(options: EventStreamOptions) {
    const { log, begin } = options;
    this.#options = options;
    this.#positions = new Map(begin.exchanges);
    this.#log = begin.log ?? log.last;
    this.#stopListening = log.onAdded(() => this.added());
    this.#sendKept();
  }

  get isSlow(): boolean {
    return this.#options.stream.bufferedBytes > maxUnsentBytes;
  }

  /** Exchanges or log entries were added. They are sent soon. */
  added(): void {
    if (this.#isOver || this.#timer !== undefined) return;
    this.#sendIn(performance.now() - this.#sentAt < quietMs ? busyCollectMs : collectMs);
  }

  /** For an event of which several streams get the same text. */
  sendText(event: keyof AdminEventData, data: string): void {
    this.#options.stream.send(toSseEvent(data, { event }));
  }

  end(): void {
    this.left();
    this.#options.stream.end();
  }

  left(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopListening();
  }

  /** Sends what is kept when the stream begins. The rest follows if the client is slow. */
  #sendKept(): void {
    for (let hasMore = true; hasMore; ) {
      hasMore = this.#sendBatch();
      if (hasMore && this.isSlow) {
        this.#sendIn(collectMs);
        return;
      }
    }
  }

  #sendIn(ms: number): void {
    this.#timer = setTimeout(() => void this.#sendNext(), ms).unref();
  }

  async #sendNext(): Promise<void> {
    if (this.isSlow) await this.#options.stream.drained();
    this.#timer = undefined;
    if (!this.#isOver && this.#sendBatch()) this.#sendIn(collectMs);
  }

  /** Returns whether newer exchanges are kept. */
  #sendBatch(): boolean {
    this.#readLog();
    const hasMore = this.#readExchanges();
    if (this.#batch !== "") {
      this.#sentAt = performance.now();
      this.#options.stream.send(this.#batch);
      this.#batch = "";
    }
    return hasMore;
  }

  /** Adds new exchanges of all replicas to the batch. Returns whether newer ones are kept. */
  #readExchanges(): boolean {
    const { own, others } = this.#options;
    const readers = [own, ...others()];
    const limit = Math.ceil(maxAtOnce / readers.length);
    return readers.map((reader) => this.#readReplica(reader, limit)).includes(true);
  }

  #readReplica(reader: ExchangeReader, limit: number): boolean {
    const { replica } = reader;
    const { query } = this.#options;
    const after = this.#positions.get(replica) ?? reader.begin(query.limit);
    if (after === undefined) return false;
    this.#countLeftOut(reader);
    const { exchanges, missed, last, hasMore } = reader.read(after, { ...query, limit });
    if (missed > 0) this.#batch += toSseEvent(JSON.stringify({ missed, replica }), { event: "gap" });
    for (const { number, text } of exchanges) {
      setPosition(this.#positions, replica, number);
      this.#batch += toSseEvent(text, { event: "exchange", id: this.#position });
      if (this.#batch.length > maxBatchLength) return true;
    }
    setPosition(this.#positions, replica, last);
    return hasMore;
  }

  /** An event counts those that were left out since the stream began. */
  #countLeftOut({ replica, leftOut }: ExchangeReader): void {
    const known = this.#leftOut.get(replica) ?? leftOut;
    setPosition(this.#leftOut, replica, leftOut);
    if (leftOut > known) {
      this.#batch += toSseEvent(JSON.stringify({ leftOut: leftOut - known, replica }), { event: "sampled" });
    }
  }

  #readLog(): void {
    const { entries, last } = this.#options.log.read(this.#log);
    this.#log = last - entries.length;
    for (const entry of entries) {
      this.#log += 1;
      this.#batch += toSseEvent(JSON.stringify(toLogEvent(entry)), { event: "log", id: this.#position });
    }
  }

  /** The id of an event: the client sends the last one when it connects again. */
  get #position(): string {
    const { replica, others } = this.#options;
    return formatPosition(replica, { exchanges: this.#positions, log: this.#log }, others());
  }
}

function toLogEvent({ time, level, event, message = "", ...fields }: LogEntry): LogEvent {
  return { time, level, event, message, fields };
}
