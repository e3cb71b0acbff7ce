// Counts of requests by class of duration. Those of several steps, upstreams or replicas add up, and percentiles are estimated from the
// sum: an average of percentiles would be none.

/**
 * The upper bounds of the classes of durations, in ms. Replicas exchange counts by the place of their class: with other bounds, their
 * questions need other names (admin/api/replica-question.ts).
 */
const bounds = [
  0.5, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000, 30_000,
] as const;

/** The number of classes. */
export const classes: number = bounds.length + 1;

export interface Counts {
  readonly requests: number;
  readonly errors: number;
  /** Requests by class of their duration. Zeros at the end are left out. */
  readonly durations: readonly number[];
}

export interface Recent {
  readonly requests: number;
  readonly errors: number;
  /** The median duration in ms. Null without a request. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export const noCounts: Counts = { requests: 0, errors: 0, durations: [] };

/** The place of the class that contains a duration. */
export function classOf(ms: number): number {
  let low = 0;
  let high: number = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= (bounds[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function addCounts(all: readonly Counts[]): Counts {
  const [first = noCounts, ...others] = all;
  if (others.length === 0) return first;
  const length = Math.max(...all.map(({ durations }) => durations.length));
  const durations = new Array<number>(length).fill(0);
  let [requests, errors] = [0, 0];
  for (const counts of all) {
    requests += counts.requests;
    errors += counts.errors;
    for (const [index, count] of counts.durations.entries()) durations[index] = (durations[index] ?? 0) + count;
  }
  return { requests, errors, durations };
}

export function toRecent({ requests, errors, durations }: Counts): Recent {
  return { requests, errors, p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) };
}

/** Estimates within the class that contains the percentile. Null without a request. Plain loops, because a series has 120 of them. */
export function percentile(counts: ArrayLike<number>, part: number): number | null {
  let total = 0;
  for (let index = 0; index < counts.length; index += 1) total += counts[index] ?? 0;
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(total * part));
  let seen = 0;
  for (let index = 0; index < counts.length; index += 1) {
    const count = counts[index] ?? 0;
    if (seen + count >= wanted) {
      const low = bounds[index - 1] ?? 0;
      const high = bounds[index] ?? low * 2;
      return Math.round((low + ((wanted - seen) / count) * (high - low)) * 100) / 100;
    }
    seen += count;
  }
  return null;
}
