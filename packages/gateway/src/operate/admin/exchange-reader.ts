// What an event stream reads: the exchanges of one replica in the order of their numbers.
import type { ExchangeQuery, ExchangeRing, KeptExchange } from "../observe/exchange-ring.ts";
import { toExchange } from "./answers/exchange-answers.ts";
import type { Exchange } from "./api/exchanges.ts";

/** An exchange that several streams send, serialized once. */
export class SharedExchange {
  readonly exchange: Exchange;
  /** The number of the exchange at its replica. */
  readonly number: number;
  #text: string | undefined;

  constructor(exchange: Exchange, number: number) {
    this.exchange = exchange;
    this.number = number;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.exchange);
    return this.#text;
  }
}

export interface ReadExchanges {
  /** The oldest first. */
  readonly exchanges: readonly SharedExchange[];
  /** The number of the last exchange that was considered, wanted or not. */
  readonly last: number;
  /** The number of exchanges that are no longer kept. */
  readonly missed: number;
  readonly hasMore: boolean;
}

export interface ExchangeReader {
  /** The first characters of the id of the replica. */
  readonly replica: string;
  /** The number of exchanges since the start of the replica that were never kept, because there were too many. */
  readonly leftOut: number;
  /**
   * The number after which a new stream begins: it sends the last `limit` exchanges first, or all that are kept. Undefined while it is not
   * known.
   */
  begin(limit: number | undefined): number | undefined;
  /** Reads at most `query.limit` exchanges. */
  read(after: number, query: ExchangeQuery): ReadExchanges;
}

const none = 0;
/** Exchanges whose text is kept for further streams: those of a few writes. */
const maxShared = 256;

/** Reads the ring of this replica. */
export function createRingReader(ring: ExchangeRing, replica: string): ExchangeReader {
  const shared: SharedExchange[] = [];
  function share(kept: KeptExchange): SharedExchange {
    const place = kept.id % maxShared;
    const known = shared[place];
    if (known?.number === kept.id) return known;
    const made = new SharedExchange(toExchange(kept, replica), kept.id);
    shared[place] = made;
    return made;
  }

  return {
    replica,
    get leftOut() {
      return ring.leftOut;
    },
    begin(limit) {
      const beforeKept = ring.read({ limit: none }).missed - 1;
      return limit === undefined ? beforeKept : Math.max(beforeKept, ring.last - limit);
    },
    read(after, query) {
      const { exchanges, ...read } = ring.read({ ...query, after });
      return { ...read, exchanges: exchanges.map(share) };
    },
  };
}
