// Limits the request rate of each caller.
import {
  checkOptions,
  type KnownOptions,
  type McpError,
  type Middleware,
  pickOptions,
  tooManyRequests,
} from "@lethe/protocol";
import type { Clock } from "../clock/clock.ts";
import { openWorkerStore } from "../replicas/worker-stores.ts";
import {
  createMemoryRateCounter,
  knownMemoryRateCounterOptions,
  type MemoryRateCounterOptions,
  type RateCounter,
} from "./rate-counter.ts";

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /** Requests of one caller per window, and the largest burst. Without authentication all callers share one limit. */
  perCaller: number;
  /** The window in ms. Default 60,000. */
  windowMs?: number;
  /** Tracked callers; the one that was idle longest is dropped first. Default 10,000. */
  maxCallers?: number;
  /** Measures the windows of the default counter. Default: the clock of this process. */
  clock?: Clock | undefined;
  /** Default: a counter in this process. */
  counter?: RateCounter | undefined;
}

const knownRateLimitOptions: KnownOptions<RateLimitOptions> = {
  perCaller: "a number",
  windowMs: true,
  maxCallers: true,
  counter: true,
  clock: true,
};

/**
 * Limits how many requests a caller may send per minute. A rejected request gets a retryable error (-32603; HTTP 429) whose
 * `retryAfterMs` says when the next request is admitted.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { rateLimit } from "@lethe/server/middleware";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.use(rateLimit({ perCaller: 600 }));
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  checkOptions("rateLimit", options, knownRateLimitOptions);
  const { perCaller, windowMs = 60_000, counter = counterOf(options) } = options;
  const rate = { max: perCaller, windowMs };

  function refusal(retryAfterMs: number): McpError {
    const message = `at most ${perCaller} requests in ${windowMs} ms; retry in ${retryAfterMs} ms`;
    return tooManyRequests(message, retryAfterMs);
  }

  return (next) => (request, exchange) => {
    const waitMs = counter.take(exchange.caller?.id, rate);
    if (waitMs === 0) return next(request, exchange);
    if (typeof waitMs === "number") return Promise.reject(refusal(waitMs));
    return waitMs.then((ms) => {
      if (ms > 0) throw refusal(ms);
      return next(request, exchange);
    });
  };
}

/** The workers of one program count together. */
function counterOf(options: MemoryRateCounterOptions): RateCounter {
  const shared = openWorkerStore<RateCounter>("rates", "limit");
  if (shared) return shared;
  return createMemoryRateCounter(pickOptions<MemoryRateCounterOptions>(options, knownMemoryRateCounterOptions));
}
