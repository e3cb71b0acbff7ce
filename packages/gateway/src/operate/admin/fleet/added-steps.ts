// Adds up the steps of one series at several replicas. A console asks for a thousand series, so all of them share the same arrays.
import { classes, percentile } from "../../observe/duration-counts.ts";
import type { PackedStep, Series } from "../../observe/time-series.ts";

export class AddedSteps {
  readonly #points: number;
  readonly #requests: Float64Array;
  readonly #errors: Float64Array;
  readonly #durations: Float64Array;

  constructor(points: number) {
    this.#points = points;
    this.#requests = new Float64Array(points);
    this.#errors = new Float64Array(points);
    this.#durations = new Float64Array(points * classes);
  }

  /** `behind` is added to the age of each step. Steps that are too new or too old here are left out. */
  add(steps: readonly PackedStep[], behind: number): void {
    for (const step of steps) {
      const place = this.#points - 1 - behind - step[0];
      if (place < 0 || place >= this.#points) continue;
      this.#requests[place] = (this.#requests[place] ?? 0) + step[1];
      this.#errors[place] = (this.#errors[place] ?? 0) + step[2];
      for (let index = 3; index < step.length; index += 1) {
        const at = place * classes + index - 3;
        this.#durations[at] = (this.#durations[at] ?? 0) + (step[index] ?? 0);
      }
    }
  }

  /** The sum, after which the next series begins. */
  take(): Series {
    const [p50, p95]: (number | null)[][] = [[], []];
    for (let place = 0; place < this.#points; place += 1) {
      const isQuiet = this.#requests[place] === 0;
      const durations = this.#durations.subarray(place * classes, (place + 1) * classes);
      p50?.push(isQuiet ? null : percentile(durations, 0.5));
      p95?.push(isQuiet ? null : percentile(durations, 0.95));
    }
    const sum = { requests: [...this.#requests], errors: [...this.#errors], p50: p50 ?? [], p95: p95 ?? [] };
    for (const values of [this.#requests, this.#errors, this.#durations]) values.fill(0);
    return sum;
  }
}
