// What an event stream reads: the exchanges of one replica in the order of their numbers.
import type { ExchangeQuery, ExchangeRing } from "../observe/exchange-ring.ts";
import { toExchange } from "./answers/exchange-answers.ts";
import type { Exchange } from "./api/exchanges.ts";

export interface ReadExchanges {
  /** The oldest first. */
  readonly exchanges: readonly Exchange[];
  /** The number of the last exchange that was considered, wanted or not. */
  readonly last: number;
  /** The number of exchanges that are no longer kept. */
  readonly missed: number;
  readonly hasMore: boolean;
}

export interface ExchangeReader {
  /** The first characters of the id of the replica. */
  readonly replica: string;
  /**
   * The number after which a new stream begins: it sends the last `limit` exchanges first, or all that are kept. Undefined while it is not
   * known.
   */
  begin(limit: number | undefined): number | undefined;
  /** Reads at most `query.limit` exchanges. */
  read(after: number, query: ExchangeQuery): ReadExchanges;
}

const none = 0;

/** Reads the ring of this replica. */
export function createRingReader(ring: ExchangeRing, replica: string): ExchangeReader {
  return {
    replica,
    begin(limit) {
      const beforeKept = ring.read({ limit: none }).missed - 1;
      return limit === undefined ? beforeKept : Math.max(beforeKept, ring.last - limit);
    },
    read(after, query) {
      const { exchanges, ...read } = ring.read({ ...query, after });
      return { ...read, exchanges: exchanges.map((kept) => toExchange(kept, replica)) };
    },
  };
}
