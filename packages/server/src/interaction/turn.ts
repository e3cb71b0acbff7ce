// Waits until code that is awaiting nothing but promises has run as far as it can.

/** Resolves in a later turn of the event loop, so after all microtasks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    // Not every runtime has setImmediate; where it is, it does not wait the millisecond that a timer does.
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
