// Timers that never keep a process alive by themselves.

export type BackgroundTimer = ReturnType<typeof setTimeout>;

/** `setTimeout`, except that on Node the process may end before it. */
export function startBackgroundTimer(run: () => void, ms: number): BackgroundTimer {
  const timer = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
