// Limits concurrent requests. A bounded queue holds further ones for a limited time; all others get a retry time.

import {
  checkOptions,
  type Exchange,
  errorCode,
  type KnownOptions,
  McpError,
  type Middleware,
  method,
  onAbort,
  overloaded,
  type Result,
} from "@lethe/protocol";

/** Options of `concurrencyLimit`. */
export interface ConcurrencyLimitOptions {
  /** How many requests run at a time, over everything that this middleware wraps. Subscriptions do not count. */
  max: number;
  /** Waiting requests. Default: the same as `max`. */
  queue?: number;
  /** How long a request may wait, in ms. Default 5,000. */
  maxWaitMs?: number;
  /** The retry time of a rejected request, in ms. Default 1,000. */
  retryAfterMs?: number;
}

const knownConcurrencyLimitOptions: KnownOptions<ConcurrencyLimitOptions> = {
  max: "a number",
  queue: true,
  maxWaitMs: true,
  retryAfterMs: true,
};

/**
 * Limits how many requests run at a time. A rejected request gets a retryable error (-32603 with `retryAfterMs`; HTTP 503).
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { concurrencyLimit } from "@lethe/server/middleware";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.use(concurrencyLimit({ max: 100 }));
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): Middleware {
  checkOptions("concurrencyLimit", options, knownConcurrencyLimitOptions);
  const { max, queue = max, maxWaitMs = 5_000, retryAfterMs = 1_000 } = options;
  // In order of arrival; a Set allows cheap removal from the middle.
  const waiting = new Set<() => void>();
  let running = 0;

  /** The slot goes to the request that waits longest, and is free only without waiting requests. */
  function release(): void {
    const [begin] = waiting;
    if (!begin) {
      running -= 1;
      return;
    }
    waiting.delete(begin);
    begin();
  }

  function turn(exchange: Exchange): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const leave = (error: McpError): void => {
        clearTimeout(timer);
        if (waiting.delete(begin)) reject(error);
      };
      const timer = setTimeout(leave, maxWaitMs, refusal());
      waiting.add(begin);
      onAbort(exchange, () => leave(new McpError(errorCode.internalError, "cancelled before it began")));
    });
  }

  function refusal(): McpError {
    return overloaded(`the server is busy with ${max} requests; retry in ${retryAfterMs} ms`, retryAfterMs);
  }

  async function hold(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } finally {
      release();
    }
  }

  return (next) => async (request, exchange) => {
    if (request.method === method.listen) return next(request, exchange);
    if (running < max) running += 1;
    else if (waiting.size < queue) await turn(exchange);
    else throw refusal();
    return hold(() => next(request, exchange));
  };
}
