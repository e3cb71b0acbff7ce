// Everything that was exchanged in one probe, in order, and the bound on how much that may be.
import type { Exchange } from "./exchange.ts";

export interface Recorder {
  readonly exchanges: readonly Exchange[];
  /** The number of the next exchange. Throws BudgetSpent when there may be none any more. */
  begin(what: string, options?: { isCleanUp?: boolean }): number;
  end(exchange: Exchange): Exchange;
  /** Keeps one more request for a clean-up that will be due. */
  reserve(): void;
}

export interface RecorderOptions {
  /** Requests in all, clean-up included. */
  maxRequests: number;
  onProgress?: ((what: string) => void) | undefined;
}

/** The probe must end here: the server gave out more sessions, or needed more detours, than the bound allows for. */
export class BudgetSpent extends Error {
  constructor(maxRequests: number) {
    super(`the bound of ${maxRequests} requests was reached`);
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
