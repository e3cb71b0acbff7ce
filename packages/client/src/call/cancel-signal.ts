// The part of AbortSignal that a transport needs. An AbortSignal satisfies it; a Deadline does so at a tenth of the cost.

import { longestDelayMs } from "./background-timer.ts";
import { TransportError } from "./transport-error.ts";

/** The part of AbortSignal that a transport needs. An AbortSignal satisfies it. */
export interface CancelSignal {
  /** True once the request is cancelled. */
  readonly aborted: boolean;
  /** Why it was cancelled. */
  readonly reason: unknown;
  /** Calls `listener` once, when the request is cancelled. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: () => void): void;
  /** Excludes the time until `release` from the limits: during it, the peer is not the one to wait for. */
  hold?(): void;
  /** Ends the time that `hold` began. */
  release?(): void;
}

/** Converts to a native AbortSignal for platform APIs that require one. `signal` must belong to a single request. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener("abort", () => controller.abort(signal.reason));
  return controller.signal;
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it is aborted. */
export function orCancelled<T>(promise: Promise<T>, signal: CancelSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(signal.reason);
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", cancel);
    promise.then(
      (value) => {
        signal.removeEventListener("abort", cancel);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", cancel);
        reject(error);
      },
    );
  });
}

/** Settles like `promise`, or rejects with TransportError "cancelled" on abort. `what` names the request in the error. */
export async function orGivenUp<T>(what: string, promise: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (!signal) return promise;
  try {
    return await orCancelled(promise, signal);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new TransportError("cancelled", `${what}: cancelled by the caller`, { cause: error });
  }
}

/** Resolves after `delayMs`. Rejects with the signal's reason if it is aborted first. */
export async function pause(delayMs: number, signal: CancelSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(delayMs, longestDelayMs));
  });
  await orCancelled(over, signal).finally(() => clearTimeout(timer));
}

/** Settles like `promise`, and stops the clock of the signal meanwhile, if it has one. */
export async function holdClock<T>(promise: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  signal?.hold?.();
  try {
    return await promise;
  } finally {
    signal?.release?.();
  }
}
