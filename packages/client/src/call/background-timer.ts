// Timers that do not keep the process alive, and the longest delay that timers support.

/** The longest delay of a timer in any runtime, in ms. A longer one would fire at once. */
export const longestDelayMs: number = 2 ** 31 - 1;

export type BackgroundTimer = ReturnType<typeof setTimeout>;

/** Like `setTimeout`, but on Node the process may exit before it fires. */
export function startBackgroundTimer(run: () => void, ms: number): BackgroundTimer {
  const timer = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
