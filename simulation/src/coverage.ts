// Whether schedules reached what only a part of them contains. Without it every invariant would hold, too.

export interface Coverage {
  readonly schedules: number;
  /** How many of them carried requests over direct connections between replicas. */
  readonly directSchedules: number;
}

/** Fewer schedules show nothing. */
const minSchedules = 200;
/** Usually it is more than a quarter. */
const minDirectPart = 0.1;

/** Returns what too few schedules reached, or undefined. */
export function findGap({ schedules, directSchedules }: Coverage): string | undefined {
  if (schedules < minSchedules || directSchedules >= minDirectPart * schedules) return undefined;
  return `only ${directSchedules} of ${schedules} schedules carried requests over direct connections`;
}
