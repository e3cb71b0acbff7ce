// When this replica must not take sessions from others, nor revoke their leases; see lease.ts for why.
import type { Clock } from "@lethe/server/stores";
import type { Evidence } from "./evidence.ts";
import type { Timings } from "./timings.ts";

export interface RestraintOptions {
  readonly clock: Clock;
  readonly timings: Timings;
  readonly evidence: Evidence;
}

export class Restraint {
  readonly #options: RestraintOptions;
  #connectedUntil = Number.NEGATIVE_INFINITY;
  #introductions = 0;

  constructor(options: RestraintOptions) {
    this.#options = options;
  }

  /** The Redis that was just reached may have forgotten owners that count themselves valid. */
  beginAfterConnect(): void {
    const { clock, timings } = this.#options;
    this.#connectedUntil = clock.now() + timings.validMs + timings.marginMs;
  }

  /** Holds until `introduction` settles: replicas that do not know this one may count themselves valid. */
  async during(introduction: Promise<void>): Promise<void> {
    this.#introductions += 1;
    try {
      await introduction;
    } finally {
      this.#introductions -= 1;
    }
  }

  /** For how long the restraint lasts, in ms. At most 0 when there is none. Check it again when Redis has answered. */
  restMs(): number {
    if (this.#introductions > 0) return Number.POSITIVE_INFINITY;
    const { clock, evidence } = this.#options;
    return Math.max(this.#connectedUntil, evidence.promisedUntil()) - clock.now();
  }
}
