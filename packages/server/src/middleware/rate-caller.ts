// The requests of one caller in one process: they spend the caller's budget, or wait for the next reservation.
import { aheadShare, RateBudget } from "./rate-budget.ts";
import type { Rate } from "./rate-counter.ts";
import type { RateReservation, RateUnits } from "./rate-store.ts";

export interface RateCallerOptions {
  readonly rate: Rate;
  /** Whether units are reserved in advance. */
  readonly prefetch: boolean;
  now(): number;
  /** Resolves with undefined while the store is out of reach. */
  reserve(units: RateUnits): Promise<RateReservation | undefined>;
  /** Counts a request in this process alone. */
  takeAlone(): number;
}

/** Requests of one caller that wait for the store. Further ones are counted in this process alone. */
const maxWaiting = 10_000;

export class RateCaller {
  readonly rate: Rate;
  usedAt = 0;
  readonly #options: RateCallerOptions;
  readonly #budget: RateBudget;
  #waiting: ((waitMs: number) => void)[] = [];
  #isReserving = false;
  /** Until then the bucket has no unit. */
  #emptyUntil = Number.NEGATIVE_INFINITY;
  /** When the bucket has a unit at the latest. */
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(options: RateCallerOptions) {
    this.rate = options.rate;
    this.#options = options;
    this.#budget = new RateBudget(options.rate);
  }

  /** Returns 0 for an admitted request, or the wait in ms. */
  take(now: number): number | Promise<number> {
    if (this.#budget.spend(now)) {
      if (!this.#isReserving && this.#budget.isLow(now) && this.#budget.aheadAt(now) > 0) void this.#reserve();
      return 0;
    }
    if (now < this.#emptyUntil) return Math.max(1, Math.ceil(this.#retryAt - now));
    if (this.#waiting.length >= maxWaiting) return this.#options.takeAlone();
    const wait = new Promise<number>((resolve) => this.#waiting.push(resolve));
    if (!this.#isReserving) void this.#reserve();
    return wait;
  }

  /** Reserves units until no request waits. One reservation is in flight at a time. */
  async #reserve(): Promise<void> {
    this.#isReserving = true;
    do {
      const begunAt = this.#options.now();
      const needed = this.#waiting.length;
      const ahead = this.#options.prefetch ? this.#budget.aheadAt(begunAt) : 0;
      this.#budget.begin(begunAt);
      const reservation = await this.#options.reserve({ needed, ahead, share: aheadShare });
      if (reservation) this.#settle(needed, reservation, begunAt);
      else for (const resolve of this.#waiting.splice(0)) resolve(this.#options.takeAlone());
    } while (this.#waiting.length > 0);
    this.#isReserving = false;
  }

  #settle(needed: number, reservation: RateReservation, begunAt: number): void {
    const now = this.#options.now();
    const { granted, waitMs } = reservation;
    const admitted = this.#waiting.splice(0, Math.min(needed, granted));
    this.#budget.add(granted - admitted.length, reservation, begunAt, now);
    // Requests that came meanwhile spend what was reserved in advance.
    while (this.#waiting.length > 0 && this.#budget.spend(now)) admitted.push(...this.#waiting.splice(0, 1));
    for (const resolve of admitted) resolve(0);
    if (waitMs === 0) return;
    this.#emptyUntil = begunAt + waitMs;
    this.#retryAt = now + waitMs;
    for (const resolve of this.#waiting.splice(0)) resolve(waitMs);
  }
}
