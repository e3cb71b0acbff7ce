// One timer for all that the open requests of a handler wait for: slow bodies, slow handlers, silent streams. A timer per
// request would cost more than the request. It runs only while there is somebody to serve.

export interface Ticking {
  /** Where the clock has it; -1 while it has it not. */
  place: number;
  tick(now: number): void;
}

export interface Clock<T extends Ticking> {
  /** Milliseconds since some beginning, as coarse as the tick. */
  readonly now: number;
  readonly members: readonly T[];
  add(member: T): void;
  delete(member: T): void;
  /** Resolves as soon as there is no member. */
  empty(): Promise<void>;
}

export function createClock<T extends Ticking>(tickMs: number): Clock<T> {
  // Not a Set: its replaced tables would keep members that have left, with their sockets and bodies, until a full collection.
  const members: T[] = [];
  let timer: NodeJS.Timeout | undefined;
  let now = 0;
  let waiting: (() => void)[] = [];

  function tick(): void {
    now += tickMs;
    // From the end: who leaves makes room for the last, which has had its tick.
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

/** Fine enough for the shortest of `periods` (0 is none), and no finer. */
export function toTickMs(periods: readonly number[]): number {
  const shortest = Math.min(...periods.filter((period) => period > 0), 4_000);
  return Math.max(10, Math.ceil(shortest / 4));
}
