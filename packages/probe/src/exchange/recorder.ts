// Records the exchanges of one probe in order, and limits their number.
import type { Exchange } from "./exchange.ts";

export interface Recorder {
  readonly exchanges: readonly Exchange[];
  /** Returns the number of the next exchange. Throws BudgetSpent at the limit. */
  begin(what: string, options?: { isCleanUp?: boolean }): number;
  end(exchange: Exchange): Exchange;
  /** Reserves one request for a later clean-up. */
  reserve(): void;
}

export interface RecorderOptions {
  /** Maximum number of requests, clean-up included. */
  maxRequests: number;
  onProgress?: ((what: string) => void) | undefined;
}

/** The probe reached its limit, because the server created more sessions or needed more attempts than it allows. */
export class BudgetSpent extends Error {
  constructor(maxRequests: number) {
    super(`the limit of ${maxRequests} requests was reached`);
    this.name = "BudgetSpent";
  }
}

export function createRecorder({ maxRequests, onProgress }: RecorderOptions): Recorder {
  const exchanges: Exchange[] = [];
  let begun = 0;
  let reserved = 0;
  return {
    exchanges,
    begin(what, { isCleanUp = false } = {}) {
      if (isCleanUp && reserved > 0) reserved -= 1;
      if (begun + reserved >= maxRequests) throw new BudgetSpent(maxRequests);
      begun += 1;
      onProgress?.(what);
      return begun;
    },
    end(exchange) {
      exchanges.push(exchange);
      return exchange;
    },
    reserve() {
      reserved += 1;
    },
  };
}
