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
  /** How often an introduction became necessary, and how many of these the begun and the completed introductions cover. */
  #required = 0;
  #begun = 0;
  #completed = 0;

  constructor(options: RestraintOptions) {
    this.#options = options;
  }

  /** The Redis that was just reached may have forgotten owners that count themselves valid. */
  beginAfterConnect(): void {
    const { clock, timings } = this.#options;
    this.#connectedUntil = clock.now() + timings.validMs + timings.marginMs;
  }

  /** This replica may have been without a lease: it takes nothing until an introduction that begins after this is complete. */
  requireIntroduction(): void {
    this.#required += 1;
  }

  /** Whether an introduction is required and has not begun, or has failed. */
  get lacksIntroduction(): boolean {
    return this.#begun < this.#required;
  }

  /** Holds until `introduction` settles: replicas that do not know this one may count themselves valid. */
  async during(introduction: Promise<void>): Promise<void> {
    const covered = this.#required;
    this.#begun = covered;
    this.#introductions += 1;
    try {
      await introduction;
      this.#completed = Math.max(this.#completed, covered);
    } catch (error) {
      this.#begun = this.#completed;
      throw error;
    } finally {
      this.#introductions -= 1;
    }
  }

  /** For how long the restraint lasts, in ms. At most 0 when there is none. Check it again when Redis has answered. */
  restMs(): number {
    if (this.#introductions > 0 || this.#completed < this.#required) return Number.POSITIVE_INFINITY;
    const { clock, evidence } = this.#options;
    return Math.max(this.#connectedUntil, evidence.promisedUntil()) - clock.now();
  }
}
