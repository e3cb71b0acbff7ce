// The part of AbortSignal that a transport needs. Every AbortSignal is one; a Deadline is one at a tenth of the price.

import { longestDelayMs } from "./background-timer.ts";
import { TransportError } from "./transport-error.ts";

export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
  /** The time until `release` does not count: it is not the peer who lets us wait. */
  hold?(): void;
  release?(): void;
}

/** A native signal for platforms that insist on one. It lives as long as `signal`, which must be of one request. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener("abort", () => controller.abort(signal.reason));
  return controller.signal;
}

/** `promise`, or a rejection with the signal's reason as soon as that is aborted. */
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

/** `promise`, or a TransportError "cancelled" as soon as the caller gives up. `what` names what was given up. */
export async function orGivenUp<T>(what: string, promise: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (!signal) return promise;
  try {
    return await orCancelled(promise, signal);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new TransportError("cancelled", `${what}: cancelled by the caller`, { cause: error });
  }
}

/** Resolves after `delayMs`; rejects with the signal's reason when that is aborted first. */
export async function pause(delayMs: number, signal: CancelSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(delayMs, longestDelayMs));
  });
  await orCancelled(over, signal).finally(() => clearTimeout(timer));
}

/** `promise`, while the clock of the signal stands still, if it has one. */
export async function holdClock<T>(promise: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  signal?.hold?.();
  try {
    return await promise;
  } finally {
    signal?.release?.();
  }
}
