// One timer for all time limits of the open requests of a handler: slow bodies, slow handlers, idle streams. A timer per request
// would cost more than the request. The timer runs only while requests are open.

export interface Ticking {
  /** The index in `members`. -1 while it is not a member. */
  place: number;
  tick(now: number): void;
}

export interface Clock<T extends Ticking> {
  /** Milliseconds since some point in time, with the resolution of the tick. */
  readonly now: number;
  readonly members: readonly T[];
  add(member: T): void;
  delete(member: T): void;
  /** Resolves when the clock has no members. */
  empty(): Promise<void>;
}

export function createClock<T extends Ticking>(tickMs: number): Clock<T> {
  // Not a Set: in V8 its old tables would keep deleted members, with their sockets and bodies, until a full garbage collection.
  const members: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let now = 0;
  let waiting: (() => void)[] = [];

  function tick(): void {
    now += tickMs;
    // From the end, because `delete` moves the last member, which has had its tick, into the gap.
    for (let place = members.length - 1; place >= 0; place -= 1) members[place]?.tick(now);
    if (members.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    get now() {
      return now;
    },
    members,
    add(member) {
      member.place = members.push(member) - 1;
      timer ??= setInterval(tick, tickMs).unref();
    },
    delete(member) {
      const last = member.place >= 0 ? members.pop() : undefined;
      if (last && last !== member) {
        members[member.place] = last;
        last.place = member.place;
      }
      member.place = -1;
      if (members.length > 0 || waiting.length === 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    empty() {
      return members.length === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Returns a quarter of the shortest period, between 10 ms and 1,000 ms. Ignores periods of 0. */
export function toTickMs(periods: readonly number[]): number {
  const shortest = Math.min(...periods.filter((period) => period > 0), 4_000);
  return Math.max(10, Math.ceil(shortest / 4));
}
