// Waits until all code that awaits only promises has run.

/** Resolves in a later turn of the event loop, after all microtasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // setImmediate, where it exists, saves the millisecond of a timer.
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
