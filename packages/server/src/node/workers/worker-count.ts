// How many workers serve a program.
import { usableCores } from "./usable-cores.ts";

/** More processes than this are a mistake. */
const maxWorkers = 256;

/**
 * Why this number of workers cannot be, as a part of a sentence. Undefined if it can. "auto" stands for one per core.
 *
 * @example
 * import { findWorkersProblem } from "@lethe/server/workers";
 *
 * console.log(findWorkersProblem("auto")); // undefined
 * console.log(findWorkersProblem(0)); // must be "auto" or a whole number from 1 to 256
 */
export function findWorkersProblem(workers: number | "auto"): string | undefined {
  const isPossible = workers === "auto" || (Number.isInteger(workers) && workers >= 1 && workers <= maxWorkers);
  return isPossible ? undefined : `must be "auto" or a whole number from 1 to ${maxWorkers}`;
}

/**
 * How many workers to start: the given number, or for "auto" as many as this process may use cores.
 *
 * @example
 * import { toWorkerCount } from "@lethe/server/workers";
 *
 * console.log(toWorkerCount(4)); // 4
 * console.log(toWorkerCount("auto") >= 1); // true
 */
export function toWorkerCount(workers: number | "auto"): number {
  return workers === "auto" ? Math.min(usableCores(), maxWorkers) : workers;
}
