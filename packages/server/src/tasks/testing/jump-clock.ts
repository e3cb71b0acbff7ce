// A clock that a test moves at once, over any length of time. Each timer that is due then runs once, however often it would have run.
import type { Clock } from "../../clock/clock.ts";

export interface JumpClock extends Clock {
  jump(ms: number): void;
}

export function createJumpClock(): JumpClock {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 1_000;
  return {
    now: () => now,
    wallTime: () => 1_750_000_000_000 + now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    jump(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        if (timers.delete(timer)) timer.callback();
      }
    },
  };
}
