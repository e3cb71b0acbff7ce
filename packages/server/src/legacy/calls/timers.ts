// Timers that do not keep the process alive.
import { internalError, type RunningCall } from "./running-call.ts";

export type BackgroundTimer = ReturnType<typeof setTimeout>;

/** Like `setTimeout`, except that a Node process may exit before the timer fires. */
export function startBackgroundTimer(run: () => void, ms: number): BackgroundTimer {
  const timer = setTimeout(run, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/** Resolves after `ms`. Rejects with McpError when the call is cancelled first. */
export function pause(ms: number, call: RunningCall): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = startBackgroundTimer(() => {
      forget();
      resolve();
    }, ms);
    const forget = call.onStop(() => {
      clearTimeout(timer);
      reject(internalError("the request was cancelled"));
    });
  });
}
