// Counts recent requests per caller, in one process or shared by several.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";

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

/**
 * Creates a counter for one process: a token bucket per caller, refilled steadily. `take` returns 0 or the wait in ms.
 *
 * @example
 * import { createMemoryRateCounter } from "@lethe/server/stores";
 *
 * const counter = createMemoryRateCounter();
 * console.log(counter.take("ann", { max: 600, windowMs: 60_000 })); // 0
 */
export function createMemoryRateCounter(options: MemoryRateCounterOptions = {}): {
  take(callerId: string | undefined, rate: Rate): number;
} {
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

  return {
    take(callerId, { max, windowMs }) {
      const now = clock.now();
      const perMs = max / windowMs;
      const bucket = buckets.get(callerId) ?? { left: max, at: now };
      buckets.delete(callerId);
      forget(now, windowMs);
      buckets.set(callerId, bucket);
      bucket.left = Math.min(max, bucket.left + (now - bucket.at) * perMs);
      bucket.at = now;
      if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perMs);
      bucket.left -= 1;
      return 0;
    },
  };
}
