// What processes that count requests together share: one token bucket per caller.
import type { Rate } from "./rate-counter.ts";

/** What a process takes from the bucket of a caller. */
export interface RateUnits {
  /** Units for requests that wait: as many as there are. */
  readonly needed: number;
  /** Further units, for requests that the process expects. */
  readonly ahead: number;
  /** `ahead` is at most this part of the units that remain after `needed`, rounded down. From 0 to 1. */
  readonly share: number;
}

/** What the process got, and the state of the bucket after it. */
export interface RateReservation {
  /** Units taken. */
  readonly granted: number;
  /** Until the bucket is full if nothing more is taken, in ms. */
  readonly fullInMs: number;
  /** Until the bucket has one unit, in ms. 0 if it has one. */
  readonly waitMs: number;
}

/**
 * A shared store of token buckets, each with at most `rate.max` units and refilled with `rate.max` units per `rate.windowMs`.
 * `createSharedRateCounter` counts requests with it.
 */
export interface RateStore {
  /** Takes units from the bucket of a caller, in one atomic step. Rejects while the store is out of reach. */
  reserve(callerId: string | undefined, rate: Rate, units: RateUnits): RateReservation | Promise<RateReservation>;
}
