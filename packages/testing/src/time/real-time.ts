// The timers of the runtime, kept at the first import: a test runner may replace the global ones by fake timers later.

const start: typeof setTimeout = globalThis.setTimeout;
const stop: typeof clearTimeout = globalThis.clearTimeout;

/** Resolves in a later turn of the event loop, after all microtasks and pending I/O callbacks. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    start(resolve, 0);
  });
}

/** Calls back after `ms`. Returns a function that cancels this. */
export function after(ms: number, callback: () => void): () => void {
  const timer = start(callback, ms);
  return () => stop(timer);
}
