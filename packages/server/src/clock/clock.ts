// The source of time for code by which several processes coordinate. A simulation replaces it with a clock of its own.

/** Tells the time and runs callbacks later. */
export interface Clock {
  /** Milliseconds since a fixed moment of this process. It never jumps. Measure durations with it. */
  now(): number;
  /** Milliseconds since 1970 by the clock of this machine, which may jump and may differ from other machines. */
  wallTime(): number;
  /** Runs `callback` once after `ms`. The timer does not keep the process running. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * The clock of this process. It is the default wherever an option accepts a `Clock`.
 *
 * @example
 * import { systemClock } from "@lethe/server/stores";
 *
 * const startedAt = systemClock.now();
 * await new Promise<void>((resolve) => systemClock.after(5, resolve));
 * console.log(systemClock.now() - startedAt >= 4); // true
 */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    (timer as { unref?: () => void }).unref?.();
    return () => clearTimeout(timer);
  },
};

/**
 * Runs `callback` every `ms` until the returned function is called. The callback must not throw.
 *
 * @example
 * import { every, systemClock } from "@lethe/server/stores";
 *
 * const cancel = every(systemClock, 60_000, () => console.log("a minute later"));
 * cancel();
 */
export function every(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel = clock.after(ms, run);
  function run(): void {
    cancel = clock.after(ms, run);
    callback();
  }
  return () => cancel();
}

/**
 * Resolves after `ms`.
 *
 * @example
 * import { pause, systemClock } from "@lethe/server/stores";
 *
 * await pause(systemClock, 5);
 */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
