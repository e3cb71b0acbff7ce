// Timers that never keep a process alive by themselves, and what all timers have in common.

/** The longest delay that timers of all runtimes can take: a longer one would be none at all. */
export const longestDelayMs: number = 2 ** 31 - 1;

export type BackgroundTimer = ReturnType<typeof setTimeout>;

/** `setTimeout`, except that on Node the process may end before it. */
export function startBackgroundTimer(run: () => void, ms: number): BackgroundTimer {
  const timer = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
