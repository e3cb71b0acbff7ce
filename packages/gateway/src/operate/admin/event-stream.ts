// One client of the administration's event stream. The ring of exchanges is its buffer: a slow client misses what the ring drops.
import { toSseEvent } from "@lethe/protocol";
import type { RouteStream } from "@lethe/server/edge";
import type { ExchangeQuery, ExchangeRing } from "../observe/exchange-ring.ts";
import type { StateChange } from "./state-changes.ts";

/** Beyond this many bytes that the client has not read, nothing is written until it has read them. */
const maxUnsentBytes = 1024 * 1024;
const exchangesAtOnce = 50;

export interface EventStreamOptions {
  readonly stream: RouteStream;
  readonly ring: ExchangeRing;
  /** `after` is the position at which the stream begins. */
  readonly query: ExchangeQuery;
  /** Names this run of the gateway: ids of exchanges begin at 0 with each start. */
  readonly run: string;
}

export class AdminEventStream {
  /** The client has missed changes of the state, and needs the whole state. */
  isBehind = true;
  readonly #options: EventStreamOptions;
  readonly #stopListening: () => void;
  /** The id of the last exchange that was considered. Undefined at the beginning of a stream that resumes no other. */
  #position: number | undefined;
  #isSending = false;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#position = options.query.after;
    this.#stopListening = options.ring.onAdded(() => void this.#sendExchanges());
    void this.#sendExchanges();
  }

  get isSlow(): boolean {
    return this.#options.stream.bufferedBytes > maxUnsentBytes;
  }

  sendState(changes: readonly StateChange[]): void {
    for (const { event, data } of changes) this.#send(event, data);
  }

  end(): void {
    this.left();
    this.#options.stream.end();
  }

  left(): void {
    this.#isOver = true;
    this.#stopListening();
  }

  async #sendExchanges(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const { ring, query, stream } = this.#options;
    for (let hasMore = true; hasMore && !this.#isOver; ) {
      const read = ring.read({ ...query, after: this.#position, limit: exchangesAtOnce });
      if (this.#position !== undefined && read.missed > 0) this.#send("gap", { missed: read.missed });
      for (const exchange of read.exchanges) this.#send("exchange", exchange, exchange.id);
      this.#position = read.last;
      // Others may have been added while the client read.
      hasMore = read.hasMore || this.isSlow;
      if (this.isSlow) await stream.drained();
    }
    this.#isSending = false;
  }

  #send(event: string, data: unknown, id?: number): void {
    const { stream, run } = this.#options;
    stream.send(toSseEvent(JSON.stringify(data), { event, ...(id !== undefined && { id: `${run}.${id}` }) }));
  }
}
