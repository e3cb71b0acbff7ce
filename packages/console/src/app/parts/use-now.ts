// The current time, for ages and for windows that move.
import { useSyncExternalStore } from "react";

const stepMs = 1_000;
const callbacks = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(callback: () => void): () => void {
  callbacks.add(callback);
  timer ??= setInterval(() => {
    for (const own of callbacks) own();
  }, stepMs);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Rounded down to `everyMs`, so that a component renders no more often than that. */
export function useNow(everyMs: number = stepMs): number {
  return useSyncExternalStore(subscribe, () => Math.floor(Date.now() / everyMs) * everyMs);
}
