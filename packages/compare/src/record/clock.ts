// The clock of a recording: monotonic, and shared by all processes of the machine. Wall clocks read by two processes differ by
// a millisecond or more, which is longer than a step of a script may take.

export interface Clock {
  /** Milliseconds since 1970 of time 0. */
  readonly startedAt: number;
  /** Time 0 in ms, as the tee (a separate process) reads the clock. */
  readonly zero: number;
  /** Returns the ms since time 0. */
  now(): number;
}

export function createClock(): Clock {
  const zero = read();
  return { startedAt: Date.now(), zero, now: () => read() - zero };
}

function read(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
