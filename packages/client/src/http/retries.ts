// Repeats requests that certainly did not start: the server, or a gateway in front of it, was away or busy for a moment. A request
// that may have started is never repeated here.
import { errorCode, isJsonObject, isMcpError, type KnownOptions } from "@lethe/protocol";
import { type CancelSignal, pause } from "../call/cancel-signal.ts";
import { isTransportError } from "../call/transport-error.ts";
import { isUnsent } from "./to-transport-error.ts";

/** How often and how long a request is repeated. */
export interface RetryOptions {
  /** Attempts in all. Default 4. */
  readonly maxTries?: number;
  /** No attempt begins later than this after the first failure, in ms. Default 15,000. */
  readonly maxMs?: number;
}

export const knownRetryOptions: KnownOptions<RetryOptions> = { maxTries: true, maxMs: true };

export type FilledRetries = Required<RetryOptions>;

/** The pause before the second attempt, in ms. It doubles with each attempt, and its upper half is random. */
const firstPauseMs = 250;
const busy: ReadonlySet<unknown> = new Set(["unavailable", "busy"]);

/** Undefined: nothing is repeated. */
export function fillRetries(options: RetryOptions | false): FilledRetries | undefined {
  return options === false ? undefined : { maxTries: options.maxTries ?? 4, maxMs: options.maxMs ?? 15_000 };
}

/** Counts the attempts of one request. Created after its first failure. */
export class Attempts {
  readonly #retries: FilledRetries | undefined;
  readonly #startedAt: number = performance.now();
  #tries = 0;

  constructor(retries: FilledRetries | undefined) {
    this.#retries = retries;
  }

  /** Waits before the next attempt. Resolves with false, at once, if `error` is final. */
  async wait(error: unknown): Promise<boolean> {
    const delayMs = this.delayAfter(error);
    if (delayMs === undefined) return false;
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return true;
  }

  /** How long to wait before the next attempt, in ms. Undefined if `error` is final. */
  delayAfter(error: unknown): number | undefined {
    this.#tries += 1;
    if (!this.#retries) return undefined;
    const { maxTries, maxMs } = this.#retries;
    const askedMs = this.#tries < maxTries ? askedDelayOf(error) : undefined;
    if (askedMs === undefined) return undefined;
    const pauseMs = firstPauseMs * 2 ** (this.#tries - 1);
    const delayMs = Math.max(askedMs, pauseMs / 2) + (Math.random() * pauseMs) / 2;
    return performance.now() - this.#startedAt + delayMs <= maxMs ? delayMs : undefined;
  }
}

/** Repeats `attempt` while the request has not started. Rejects with the last error, or with the reason of the signal. */
export async function repeatUnsent<T>(
  first: unknown,
  attempt: () => Promise<T>,
  { retries, signal }: { retries: FilledRetries | undefined; signal: CancelSignal & { touch?(): void } },
): Promise<T> {
  if (!retries) throw first;
  const attempts = new Attempts(retries);
  for (let error = first; ; ) {
    const delayMs = attempts.delayAfter(error);
    if (delayMs === undefined || signal.aborted) throw error;
    await pause(delayMs, signal);
    signal.touch?.();
    try {
      return await attempt();
    } catch (again) {
      error = again;
    }
  }
}

/** Whether a request failed with an error after which `repeatUnsent` may repeat it. */
export function mayBeRepeated(error: unknown): boolean {
  return askedDelayOf(error) !== undefined;
}

/** Undefined for an error after which the request may have started, or that a repetition does not change. */
function askedDelayOf(error: unknown): number | undefined {
  if (isTransportError(error)) {
    if (error.reason === "unreachable") return isUnsent(error) ? 0 : undefined;
    const isBusy = error.reason === "status" && (error.status === 503 || error.status === 429);
    return isBusy ? error.retryAfterMs : undefined;
  }
  if (!isMcpError(error) || error.code !== errorCode.internalError || !isJsonObject(error.data)) return undefined;
  const { reason, retryAfterMs } = error.data;
  return busy.has(reason) && typeof retryAfterMs === "number" ? retryAfterMs : undefined;
}
