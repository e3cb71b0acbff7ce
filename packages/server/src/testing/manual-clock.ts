// A clock that a test advances by hand. Timers run in the order of their times, and promises settle between them.
import type { Clock } from "../clock/clock.ts";

export interface ManualClock extends Clock {
  /** Runs all timers of the next `ms`. */
  advance(ms: number): Promise<void>;
}

export function createManualClock(): ManualClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 1_000;

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }

  return {
    now: () => now,
    wallTime: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
        if (!next) break;
        timers.delete(next);
        now = next.at;
        next.callback();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}
