// Counts recent requests per caller, in one process or shared by several.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";
import type { RateReservation, RateStore, RateUnits } from "./rate-store.ts";

/** `max` requests per `windowMs`; `max` is also the largest burst. */
export interface Rate {
  readonly max: number;
  readonly windowMs: number;
}

/** The counter of one limit. Without a shared counter, the limit applies to each process. */
export interface RateCounter {
  /** Counts a request and returns 0 if it is admitted; otherwise returns the wait in ms. Never fails. */
  take(callerId: string | undefined, rate: Rate): number | Promise<number>;
}

/** Options of `createMemoryRateCounter`. */
export interface MemoryRateCounterOptions {
  /** Tracked callers; the one that was idle longest is dropped first. Default 10,000. */
  maxCallers?: number | undefined;
  /** Measures the windows. Default: the clock of this process. */
  clock?: Clock | undefined;
}

export const knownMemoryRateCounterOptions: KnownOptions<MemoryRateCounterOptions> = { maxCallers: true, clock: true };

interface Bucket {
  left: number;
  /** When `left` was computed, in ms. */
  at: number;
}

/** Counts in the memory of one process, for this process or as the store of others. */
export interface MemoryRateCounter extends RateCounter, RateStore {
  /** Counts a request and returns 0 if it is admitted; otherwise returns the wait in ms. */
  take(callerId: string | undefined, rate: Rate): number;
  /** Takes units from the bucket of a caller. */
  reserve(callerId: string | undefined, rate: Rate, units: RateUnits): RateReservation;
}

/**
 * Creates a counter for one process: a token bucket per caller, refilled steadily. `take` returns 0 or the wait in ms.
 *
 * @example
 * import { createMemoryRateCounter } from "@lethe/server/stores";
 *
 * const counter = createMemoryRateCounter();
 * console.log(counter.take("ann", { max: 600, windowMs: 60_000 })); // 0
 */
export function createMemoryRateCounter(options: MemoryRateCounterOptions = {}): MemoryRateCounter {
  checkOptions("createMemoryRateCounter", options, knownMemoryRateCounterOptions);
  const { maxCallers = 10_000, clock = systemClock } = options;
  // By caller id, the longest idle first.
  const buckets = new Map<string | undefined, Bucket>();

  /** A bucket that was idle for a window is full again and can be dropped. */
  function forget(now: number, windowMs: number): void {
    for (const [callerId, { at }] of buckets) {
      if (buckets.size < maxCallers && now - at < windowMs) return;
      buckets.delete(callerId);
    }
  }

  function refilled(callerId: string | undefined, { max, windowMs }: Rate): Bucket {
    const now = clock.now();
    const bucket = buckets.get(callerId) ?? { left: max, at: now };
    buckets.delete(callerId);
    forget(now, windowMs);
    buckets.set(callerId, bucket);
    bucket.left = Math.min(max, bucket.left + ((now - bucket.at) * max) / windowMs);
    bucket.at = now;
    return bucket;
  }

  return {
    take(callerId, rate) {
      const bucket = refilled(callerId, rate);
      if (bucket.left < 1) return waitMsOf(bucket, rate);
      bucket.left -= 1;
      return 0;
    },
    reserve(callerId, rate, { needed, ahead, share }) {
      const bucket = refilled(callerId, rate);
      const units = Math.floor(bucket.left);
      const now = Math.min(needed, units);
      const granted = now + Math.min(ahead, Math.floor((units - now) * share));
      bucket.left -= granted;
      const fullInMs = ((rate.max - bucket.left) * rate.windowMs) / rate.max;
      return { granted, fullInMs, waitMs: bucket.left < 1 ? waitMsOf(bucket, rate) : 0 };
    },
  };
}

function waitMsOf({ left }: Bucket, { max, windowMs }: Rate): number {
  return Math.ceil(((1 - left) * windowMs) / max);
}
