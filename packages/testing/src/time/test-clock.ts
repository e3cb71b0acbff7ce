// A clock that only the test advances. A server that is created with it waits for the test, and no global timer is replaced.
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { Clock } from "@lethe/server/stores";
import { after, nextTurn } from "./real-time.ts";

/** Where the time of a test starts, and how long the test waits for the server. */
export interface TestClockOptions {
  /** The time at the start: a date, or ms since 1970. Default 2026-01-01T00:00:00Z. */
  startAt?: Date | number;
  /** How long `untilTimer` waits, in ms of real time. Default 5,000. */
  waitMs?: number;
}

const knownTestClockOptions: KnownOptions<TestClockOptions> = { startAt: true, waitMs: true };

/** A clock for `createServer(info, { clock })` whose time passes only in `advance` and `jump`. */
export interface TestClock extends Clock {
  /**
   * Lets `ms` pass. Runs the timers that become due in their order. Before each of them, and before it resolves, pending promises and
   * I/O get a turn to run. Throws RangeError for a negative time.
   */
  advance(ms: number): Promise<void>;
  /**
   * Lets `ms` pass at once, as if the process had stood still: each timer that is due runs once, however often it would have run
   * meanwhile. Use it for days, in which `advance` runs the periodic work of a server some 100,000 times. Throws RangeError for a negative
   * time.
   */
  jump(ms: number): Promise<void>;
  /**
   * Resolves when a timer waits for exactly `ms`, at once if one does. Call it before `advance` if the server takes a while to get
   * there. Rejects with an Error that lists the waiting timers after `waitMs` of real time.
   */
  untilTimer(ms: number): Promise<void>;
  /** The durations of the waiting timers in ms, as they were requested, in the order in which they become due. */
  readonly timers: readonly number[];
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly ms: number;
  readonly run: () => void;
}

interface Waiter {
  readonly ms: number;
  resolve(): void;
}

/**
 * Creates a clock that stands still until the test advances it. Pass it as `clock` to `createServer`, and to stores and middleware that
 * take one.
 *
 * @example
 * import { createTestClock } from "@lethe/server/testing";
 *
 * const clock = createTestClock({ startAt: new Date("2026-03-01T12:00:00Z") });
 * let isOver = false;
 * clock.after(60_000, () => {
 *   isOver = true;
 * });
 * await clock.advance(59_999);
 * console.log(isOver); // false
 * await clock.advance(1);
 * console.log(isOver, new Date(clock.wallTime()).toISOString()); // true 2026-03-01T12:01:00.000Z
 */
export function createTestClock(options: TestClockOptions = {}): TestClock {
  checkOptions("createTestClock", options, knownTestClockOptions);
  const { startAt = Date.UTC(2026, 0, 1), waitMs = 5_000 } = options;
  const zero = Number(startAt);
  const timers = new Set<Timer>();
  const waiters = new Set<Waiter>();
  let now = 0;
  let count = 0;

  function inOrder(): Timer[] {
    return [...timers].sort((a, b) => a.at - b.at || a.order - b.order);
  }

  function add(ms: number, run: () => void): () => void {
    count += 1;
    const timer: Timer = { at: now + Math.max(ms, 0), order: count, ms, run };
    timers.add(timer);
    for (const waiter of waiters) if (waiter.ms === ms) waiter.resolve();
    return () => timers.delete(timer);
  }

  async function jump(ms: number): Promise<void> {
    requireTime("jump", ms);
    await settle();
    now += ms;
    for (const timer of inOrder().filter(({ at }) => at <= now)) {
      // An earlier one may have cancelled it.
      if (!timers.delete(timer)) continue;
      timer.run();
      await settle();
    }
    await settle();
  }

  async function advance(ms: number): Promise<void> {
    requireTime("advance", ms);
    const until = now + ms;
    await settle();
    for (let [next] = inOrder(); next && next.at <= until; [next] = inOrder()) {
      now = Math.max(now, next.at);
      timers.delete(next);
      next.run();
      await settle();
    }
    now = until;
    await settle();
  }

  function untilTimer(ms: number): Promise<void> {
    if ([...timers].some((timer) => timer.ms === ms)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { ms, resolve: () => end(resolve) };
      const cancel = after(waitMs, () => {
        const others = inOrder().map((timer) => `${timer.ms} ms`);
        const found = others.length === 0 ? "none" : others.slice(0, shownTimers).join(", ");
        end(() => reject(new Error(`no timer of ${ms} ms was started within ${waitMs} ms; waiting timers: ${found}`)));
      });
      const end = (settleWaiter: () => void): void => {
        cancel();
        waiters.delete(waiter);
        settleWaiter();
      };
      waiters.add(waiter);
    });
  }

  return {
    now: () => now,
    wallTime: () => zero + now,
    after: add,
    advance,
    jump,
    untilTimer,
    get timers() {
      return inOrder().map(({ ms }) => ms);
    },
  };
}

/** Timers that an error message lists. */
const shownTimers = 20;
/** Enough for a chain of promises with a few steps of I/O, such as encryption. */
const turnsToSettle = 3;

async function settle(): Promise<void> {
  for (let turn = 0; turn < turnsToSettle; turn++) await nextTurn();
}

function requireTime(name: string, ms: number): void {
  if (!(ms >= 0)) throw new RangeError(`${name}: expected a time of 0 ms or more, got ${ms}`);
}
