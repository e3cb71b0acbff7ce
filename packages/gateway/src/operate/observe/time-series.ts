// Requests, errors and durations of the last ten minutes, in steps of ten seconds. Takes a fixed amount of memory, and allocates nothing
// for a request.

export const stepSeconds = 10;
/** The number of steps that are kept. */
export const maxPoints = 60;

/** The upper bounds of the classes of durations, in ms. */
const bounds = [
  0.5, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000, 30_000,
] as const;
const classes = bounds.length + 1;
/** The steps, with the current one, that cover the last minute. */
const recentPoints = 60 / stepSeconds;
const maxCount = 65_535;

export interface Recent {
  readonly requests: number;
  readonly errors: number;
  /** The median duration in ms. Null without a request. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface Series {
  readonly requests: readonly number[];
  readonly errors: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
}

/** The number of the step that contains a time in ms since 1970. */
export function stepAt(now: number): number {
  return Math.floor(now / (stepSeconds * 1_000));
}

export class TimeSeries {
  readonly #requests: Uint32Array = new Uint32Array(maxPoints);
  readonly #errors: Uint32Array = new Uint32Array(maxPoints);
  /** Counts per class of durations. A full count stays full: the percentiles of such a step are estimates anyway. */
  readonly #durations: Uint16Array = new Uint16Array(maxPoints * classes);
  #newest = 0;

  add(ms: number, isError: boolean, now: number): void {
    const place = this.#placeAt(stepAt(now));
    this.#requests[place] = (this.#requests[place] ?? 0) + 1;
    if (isError) this.#errors[place] = (this.#errors[place] ?? 0) + 1;
    const index = place * classes + classOf(ms);
    const count = this.#durations[index] ?? 0;
    if (count < maxCount) this.#durations[index] = count + 1;
  }

  /** The last `points` steps up to the current one, the oldest first. */
  read(points: number, now: number): Series {
    const newest = stepAt(now);
    const steps = Array.from({ length: points }, (_, index) => this.of(newest - points + 1 + index, 1));
    return {
      requests: steps.map(({ requests }) => requests),
      errors: steps.map(({ errors }) => errors),
      p50: steps.map(({ p50 }) => p50),
      p95: steps.map(({ p95 }) => p95),
    };
  }

  /** The last minute. */
  recent(now: number): Recent {
    return this.of(stepAt(now) - recentPoints + 1, recentPoints);
  }

  /** Sums up `length` steps from `first` on. */
  of(first: number, length: number): Recent {
    const counts = new Uint32Array(classes);
    let [requests, errors] = [0, 0];
    for (let step = first; step < first + length; step += 1) {
      if (step > this.#newest || step <= this.#newest - maxPoints) continue;
      const place = step % maxPoints;
      requests += this.#requests[place] ?? 0;
      errors += this.#errors[place] ?? 0;
      for (let index = 0; index < classes; index += 1) {
        counts[index] = (counts[index] ?? 0) + (this.#durations[place * classes + index] ?? 0);
      }
    }
    return { requests, errors, p50: percentile(counts, 0.5), p95: percentile(counts, 0.95) };
  }

  /** Clears the steps between the last request and this one. */
  #placeAt(step: number): number {
    const first = Math.max(this.#newest + 1, step - maxPoints + 1);
    for (let next = first; next <= step; next += 1) {
      const place = next % maxPoints;
      this.#requests[place] = 0;
      this.#errors[place] = 0;
      this.#durations.fill(0, place * classes, (place + 1) * classes);
    }
    this.#newest = Math.max(this.#newest, step);
    return this.#newest % maxPoints;
  }
}

function classOf(ms: number): number {
  let low = 0;
  let high: number = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ms <= (bounds[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Estimates within the class that contains the percentile. */
function percentile(counts: Uint32Array, part: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(total * part));
  let seen = 0;
  for (const [index, count] of counts.entries()) {
    if (seen + count >= wanted) {
      const low = bounds[index - 1] ?? 0;
      const high = bounds[index] ?? low * 2;
      return Math.round((low + ((wanted - seen) / count) * (high - low)) * 100) / 100;
    }
    seen += count;
  }
  return null;
}
