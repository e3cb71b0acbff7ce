// Resends a message until its receiver acknowledges it: the shared store may be away for a moment, or the receiver may be reconnecting.
import { type Clock, pause, systemClock } from "../../clock/clock.ts";

export interface RetryOptions {
  /** Returns the number of receivers. Must not reject. */
  send(): Promise<number>;
  /** The sum of all pauses is at most this, in ms. */
  readonly patienceMs: number;
  /** The first pause in ms; each further one is twice as long. */
  readonly firstPauseMs: number;
  /** The longest pause in ms. Default: unlimited. */
  readonly maxPauseMs?: number;
  /** True when the message is no longer needed. Default: false. */
  isOver?(): boolean;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
}

/** Returns false when no receiver acknowledged the message. */
export async function retryUntilAcknowledged(options: RetryOptions): Promise<boolean> {
  const {
    send,
    patienceMs,
    firstPauseMs,
    maxPauseMs = Number.POSITIVE_INFINITY,
    isOver,
    clock = systemClock,
  } = options;
  for (let waitedMs = 0, pauseMs = firstPauseMs; ; waitedMs += pauseMs, pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if ((await send()) > 0) return true;
    if (isOver?.() || waitedMs + pauseMs > patienceMs) return false;
    await pause(clock, pauseMs);
  }
}
