// Waits for a while, and no longer when something ends before.

/** Also resolves when `signal` is aborted. Does not keep the process running. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener("abort", end);
  });
}
