// Requests, errors and durations of the last ten minutes, in steps of ten seconds. Takes a fixed amount of memory, and allocates nothing
// for a request.
import { type Counts, classes, classOf } from "./duration-counts.ts";

export const stepSeconds = 10;
/** The number of steps that are kept. */
export const maxPoints = 60;

/** The steps, with the current one, that cover the last minute. */
const recentPoints = 60 / stepSeconds;
const maxCount = 65_535;

/** A step, by its age: 0 is the newest one. Then the numbers of requests, of errors, and of requests by class of duration. */
export type PackedStep = readonly [age: number, requests: number, errors: number, ...durations: number[]];

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

  /** Those of the last `points` steps that have requests, the oldest first. */
  pack(points: number, now: number): PackedStep[] {
    const newest = stepAt(now);
    const packed: PackedStep[] = [];
    for (let age = points - 1; age >= 0; age -= 1) {
      const step = newest - age;
      const place = step % maxPoints;
      const requests = this.#requests[place] ?? 0;
      if (requests === 0 || step > this.#newest || step <= this.#newest - maxPoints) continue;
      const from = place * classes;
      let end = from + classes;
      while (end > from && this.#durations[end - 1] === 0) end -= 1;
      packed.push([age, requests, this.#errors[place] ?? 0, ...this.#durations.subarray(from, end)]);
    }
    return packed;
  }

  /** The last minute. */
  recent(now: number): Counts {
    return this.of(stepAt(now) - recentPoints + 1, recentPoints);
  }

  /** Sums up `length` steps from `first` on. */
  of(first: number, length: number): Counts {
    const durations = new Array<number>(classes).fill(0);
    let [requests, errors, used] = [0, 0, 0];
    for (let step = first; step < first + length; step += 1) {
      if (step > this.#newest || step <= this.#newest - maxPoints) continue;
      const place = step % maxPoints;
      requests += this.#requests[place] ?? 0;
      errors += this.#errors[place] ?? 0;
      for (let index = 0; index < classes; index += 1) {
        const count = this.#durations[place * classes + index] ?? 0;
        if (count === 0) continue;
        durations[index] = (durations[index] ?? 0) + count;
        used = Math.max(used, index + 1);
      }
    }
    durations.length = used;
    return { requests, errors, durations };
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
