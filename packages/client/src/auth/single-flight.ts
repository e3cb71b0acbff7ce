// Runs one task at a time. Callers that need it meanwhile wait for the same task (G-48).
import { type CancelSignal, orCancelled } from "../call/cancel-signal.ts";

export interface SingleFlight<T> {
  /**
   * Returns the result of the running task, or starts one. A waiter that aborts gets the reason of its signal at once.
   * The task is aborted when its last waiter has aborted.
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
    // Every waiter may have left before the task fails.
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
