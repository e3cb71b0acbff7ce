// Units of a caller's rate that this process has reserved and not spent, and how many it reserves next.
import type { Rate } from "./rate-counter.ts";
import type { RateReservation } from "./rate-store.ts";

/** The part of what remains in the bucket that one process may reserve in advance. Limits below 8 are counted one by one. */
export const aheadShare: number = 1 / 8;
/** A busy caller needs about one reservation in this time. */
const maxPaceMs = 1_000;

interface Grant {
  units: number;
  /** When the bucket would be full if nothing more was taken from it. */
  readonly fullAt: number;
}

/**
 * The budget of one caller. Units and the bucket together never exceed `max`: when the bucket would otherwise hold more than `max`
 * less the units here, these units lapse one by one. So a caller is never admitted more often than by the bucket alone.
 */
export class RateBudget {
  readonly #unitsPerMs: number;
  readonly #paceMs: number;
  readonly #maxAhead: number;
  /** The oldest first. At most two: the next grant is reserved while the current one is spent. */
  #grants: Grant[] = [];
  /** Units here after the latest reservation. */
  #stocked = 0;
  #target = 0;
  #reservedAt = Number.NEGATIVE_INFINITY;

  constructor({ max, windowMs }: Rate) {
    this.#unitsPerMs = max / windowMs;
    this.#paceMs = Math.min(maxPaceMs, windowMs * aheadShare);
    this.#maxAhead = Math.floor(max * aheadShare);
  }

  /** Spends one unit. Returns false if there is none. */
  spend(now: number): boolean {
    for (;;) {
      const grant = this.#grants[0];
      if (!grant) return false;
      const units = this.#usable(grant, now);
      if (units > 0) {
        // A unit that has lapsed never returns.
        grant.units = units - 1;
        return true;
      }
      this.#grants.shift();
    }
  }

  /** Whether half of the latest reservation is spent, so that the next one should begin. */
  isLow(now: number): boolean {
    return this.#stocked > 1 && this.#left(now) <= this.#stocked / 2;
  }

  /** Returns the units to reserve in advance now. They double while reservations follow each other faster than the pace. */
  aheadAt(now: number): number {
    return Math.max(0, this.#targetAt(now) - this.#left(now));
  }

  /** Called when a reservation begins. */
  begin(now: number): void {
    this.#target = this.#targetAt(now);
    this.#reservedAt = now;
  }

  /** Keeps `units` of a reservation that began at `begunAt`. */
  add(units: number, { fullInMs }: RateReservation, begunAt: number, now: number): void {
    // The store ran later than `begunAt`: counted from there, units lapse too early rather than too late.
    if (units > 0) this.#grants = [...this.#grants.slice(-1), { units, fullAt: begunAt + fullInMs }];
    this.#stocked = this.#left(now);
  }

  #targetAt(now: number): number {
    const sinceMs = now - this.#reservedAt;
    if (sinceMs >= this.#paceMs) return Math.floor((this.#target * this.#paceMs) / sinceMs);
    const grown = Math.ceil(this.#target * Math.min(2, this.#paceMs / sinceMs));
    return Math.min(this.#maxAhead, Math.max(1, grown));
  }

  #left(now: number): number {
    let left = 0;
    for (const grant of this.#grants) left += this.#usable(grant, now);
    return left;
  }

  #usable({ units, fullAt }: Grant, now: number): number {
    return Math.max(0, Math.min(units, Math.floor((fullAt - now) * this.#unitsPerMs)));
  }
}
