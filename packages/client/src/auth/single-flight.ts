// One task at a time, and whoever needs it meanwhile waits for the same one (G-48).
import { type CancelSignal, orCancelled } from "../call/cancel-signal.ts";

export interface SingleFlight<T> {
  /**
   * The result of the running task, or of `start` when none runs. A waiter who gives up gets the reason of its signal at
   * once; the task itself is aborted when the last waiter has.
   */
  join(start: (signal: AbortSignal) => Promise<T>, waiter: CancelSignal | undefined): Promise<T>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  let current: { readonly promise: Promise<T>; readonly controller: AbortController; waiters: number } | undefined;

  function launch(start: (signal: AbortSignal) => Promise<T>): NonNullable<typeof current> {
    const controller = new AbortController();
    const promise = start(controller.signal).finally(() => {
      if (current === flight) current = undefined;
    });
    // Every waiter may have gone before it fails.
    promise.catch(() => {});
    const flight = { promise, controller, waiters: 0 };
    return flight;
  }

  return {
    async join(start, waiter) {
      current ??= launch(start);
      const flight = current;
      flight.waiters += 1;
      try {
        return await (waiter ? orCancelled(flight.promise, waiter) : flight.promise);
      } finally {
        flight.waiters -= 1;
        if (flight.waiters === 0 && current === flight) {
          current = undefined;
          flight.controller.abort(waiter?.reason);
        }
      }
    },
  };
}
