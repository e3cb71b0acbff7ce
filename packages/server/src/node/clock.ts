// One timer for all that the open requests of a handler wait for: slow bodies, slow handlers, silent streams. A timer per
// request would cost more than the request. It runs only while there is somebody to serve.

export interface Ticking {
  tick(now: number): void;
}

export interface Clock<T extends Ticking> {
  /** Milliseconds since some beginning, as coarse as the tick. */
  readonly now: number;
  readonly members: ReadonlySet<T>;
  add(member: T): void;
  delete(member: T): void;
  /** Resolves as soon as there is no member. */
  empty(): Promise<void>;
}

export function createClock<T extends Ticking>(tickMs: number): Clock<T> {
  const members = new Set<T>();
  let timer: NodeJS.Timeout | undefined;
  let now = 0;
  let waiting: (() => void)[] = [];

  function tick(): void {
    now += tickMs;
    for (const member of members) member.tick(now);
    if (members.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    get now() {
      return now;
    },
    members,
    add(member) {
      members.add(member);
      timer ??= setInterval(tick, tickMs).unref();
    },
    delete(member) {
      members.delete(member);
      if (members.size > 0 || waiting.length === 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    empty() {
      return members.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Fine enough for the shortest of `periods` (0 is none), and no finer. */
export function toTickMs(periods: readonly number[]): number {
  const shortest = Math.min(...periods.filter((period) => period > 0), 4_000);
  return Math.max(10, Math.ceil(shortest / 4));
}
