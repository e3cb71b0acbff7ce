// Ends a request that takes too long (E-36): aborts its signal and returns an error. Subscriptions have no end
// and no timeout (E-18).
import {
  type Caller,
  checkOptions,
  type Dispatch,
  type Exchange,
  errorCode,
  type HeaderReader,
  type JsonRpcNotification,
  type KnownOptions,
  McpError,
  type Middleware,
  type ModernRequest,
  method,
  onAbort,
  type Result,
} from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";

/** Timers have 31 bits; a longer time would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** Options of `timeout`. */
export interface TimeoutOptions {
  /** The longest time of a request, in ms. A function decides per request; undefined means no limit. */
  ms: number | ((request: ModernRequest) => number | undefined);
  /** Measures the time. Default: the clock of this process. */
  clock?: Clock | undefined;
}

const knownTimeoutOptions: KnownOptions<TimeoutOptions> = { ms: "a value", clock: true };

/**
 * Rejects a request that runs longer than this many ms with -32603, and aborts its `ctx.signal`.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { timeout } from "@lethe/server/middleware";
 *
 * const server = createServer({ name: "hello", version: "1.0.0" });
 * server.use(timeout({ ms: ({ method }) => (method === "tools/call" ? 30_000 : 5_000) }));
 */
export function timeout(options: number | TimeoutOptions): Middleware {
  if (typeof options !== "number") checkOptions("timeout", options, knownTimeoutOptions);
  const { ms: limit, clock = systemClock } = typeof options === "number" ? { ms: options } : options;
  return (next) => (request, exchange) => {
    if (request.method === method.listen) return next(request, exchange);
    const ms = typeof limit === "number" ? limit : limit(request);
    return ms === undefined ? next(request, exchange) : runTimed(next, request, { exchange, ms, clock });
  };
}

interface Limit {
  readonly exchange: Exchange;
  readonly ms: number;
  readonly clock: Clock;
}

function runTimed(next: Dispatch, request: ModernRequest, limit: Limit): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timed = new TimedExchange(limit.exchange);
    const running = next(request, timed);
    const cancel = limit.clock.after(Math.min(limit.ms, longestTimer), () => {
      const error = new McpError(errorCode.internalError, `request timed out after ${limit.ms} ms`);
      timed.expire(error);
      reject(error);
    });
    const settle = <T>(outcome: (value: T) => void) => {
      return (value: T) => {
        cancel();
        outcome(value);
      };
    };
    running.then(settle(resolve), settle(reject));
  });
}

/** The exchange of a request with a timeout: the timer aborts its signal and stops its notifications. */
class TimedExchange implements Exchange {
  readonly #whole: Exchange;
  #controller: AbortController | undefined;
  #expiredBy: McpError | undefined;

  constructor(whole: Exchange) {
    this.#whole = whole;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      const controller = new AbortController();
      this.#controller = controller;
      if (this.#expiredBy) controller.abort(this.#expiredBy);
      else onAbort(this.#whole, () => controller.abort());
    }
    return this.#controller.signal;
  }

  get caller(): Caller | undefined {
    return this.#whole.caller;
  }

  get isAnonymous(): boolean | undefined {
    return this.#whole.isAnonymous;
  }

  get keepsState(): boolean | undefined {
    return this.#whole.keepsState;
  }

  get conversation(): string | undefined {
    return this.#whole.conversation;
  }

  get headers(): HeaderReader | undefined {
    return this.#whole.headers;
  }

  notify(notification: JsonRpcNotification): boolean {
    return this.#expiredBy ? true : this.#whole.notify(notification);
  }

  answeredBy(worker: number): void {
    this.#whole.answeredBy?.(worker);
  }

  disconnect(): void {
    if (!this.#expiredBy) this.#whole.disconnect?.();
  }

  drained(): Promise<void> {
    return this.#expiredBy ? Promise.resolve() : this.#whole.drained();
  }

  expire(reason: McpError): void {
    this.#expiredBy = reason;
    this.#controller?.abort(reason);
  }
}
