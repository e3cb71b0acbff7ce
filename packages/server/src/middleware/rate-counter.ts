// Who has asked how often of late: in this process, or wherever several processes can look.

/** So many requests in so many ms, and the most that may be sent at once. */
export interface Rate {
  readonly max: number;
  readonly windowMs: number;
}

/** Of one limit. Shared by all processes of a deployment, or the limit holds in each of them. */
export interface RateCounter {
  /** Counts a request if it may be served, and then gives 0; else in how many ms one may be. Never fails. */
  take(callerId: string | undefined, rate: Rate): number | Promise<number>;
}

export interface MemoryRateCounterOptions {
  /** How many callers are tracked; beyond it the one that was silent longest starts anew. Default 10,000. */
  maxCallers?: number | undefined;
}

interface Bucket {
  left: number;
  /** When `left` was right, in ms. */
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
export function createMemoryRateCounter({ maxCallers = 10_000 }: MemoryRateCounterOptions = {}): {
  take(callerId: string | undefined, rate: Rate): number;
} {
  // By caller id, the longest silent first.
  const buckets = new Map<string | undefined, Bucket>();

  /** A bucket untouched for a window is full again, the same as none: forgetting it loses nothing. */
  function forget(now: number, windowMs: number): void {
    for (const [callerId, { at }] of buckets) {
      if (buckets.size < maxCallers && now - at < windowMs) return;
      buckets.delete(callerId);
    }
  }

  return {
    take(callerId, { max, windowMs }) {
      const now = performance.now();
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
