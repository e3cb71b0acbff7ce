// Waits for a shared store that may not answer, for a limited time.
import type { Clock } from "../../clock/clock.ts";

/** Resolves when the promise has settled, or after `ms`. */
export function settleWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const settled = (): void => {
      cancel();
      resolve();
    };
    promise.then(settled, settled);
  });
}
