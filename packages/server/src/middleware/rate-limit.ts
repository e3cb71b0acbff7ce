// Bounds how often each caller may ask: a token bucket per caller, refilled steadily.
import { type Middleware, tooManyRequests } from "@lethe/protocol";

export interface RateLimitOptions {
  /** Requests of one caller per window, and the most it may send at once. Without authentication all are one caller. */
  perCaller: number;
  /** In ms. Default 60,000. */
  windowMs?: number;
  /** How many callers are tracked; beyond it the one that was silent longest starts anew. Default 10,000. */
  maxCallers?: number;
}

interface Bucket {
  left: number;
  /** When `left` was right, in ms. */
  at: number;
}

/** Refuses with the error of `tooManyRequests`, which says when the next request will be served. */
export function rateLimit({ perCaller, windowMs = 60_000, maxCallers = 10_000 }: RateLimitOptions): Middleware {
  // By caller id, the longest silent first.
  const buckets = new Map<string | undefined, Bucket>();
  const perMs = perCaller / windowMs;

  function take(callerId: string | undefined, now: number): Bucket {
    const bucket = buckets.get(callerId) ?? { left: perCaller, at: now };
    buckets.delete(callerId);
    forget(now);
    buckets.set(callerId, bucket);
    bucket.left = Math.min(perCaller, bucket.left + (now - bucket.at) * perMs);
    bucket.at = now;
    return bucket;
  }

  /** A bucket untouched for a window is full again, the same as none: forgetting it loses nothing. */
  function forget(now: number): void {
    for (const [callerId, { at }] of buckets) {
      if (buckets.size < maxCallers && now - at < windowMs) return;
      buckets.delete(callerId);
    }
  }

  return (next) => (request, exchange) => {
    const bucket = take(exchange.caller?.id, performance.now());
    if (bucket.left >= 1) {
      bucket.left -= 1;
      return next(request, exchange);
    }
    const retryAfterMs = Math.ceil((1 - bucket.left) / perMs);
    const message = `at most ${perCaller} requests in ${windowMs} ms; retry in ${retryAfterMs} ms`;
    return Promise.reject(tooManyRequests(message, retryAfterMs));
  };
}
