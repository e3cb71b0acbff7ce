// The time of a recording. Monotonic, and the same in every process of a machine: two processes that start from their own
// reading of the wall clock are off by a millisecond or more, which is longer than a step of a script may take.

export interface Clock {
  /** Milliseconds since 1970 of time 0. */
  readonly startedAt: number;
  /** Time 0 as the tee, which is another process, reads it; in ms. */
  readonly zero: number;
  /** ms since time 0. */
  now(): number;
}

export function createClock(): Clock {
  const zero = read();
  return { startedAt: Date.now(), zero, now: () => read() - zero };
}

function read(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
