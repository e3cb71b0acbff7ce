// How many workers serve a gateway.
import { availableParallelism } from "node:os";
import { CommandError } from "../exit-code.ts";

/** More processes than this are a mistake. */
const maxWorkers = 256;

export type WorkerCount = number | "auto";

/** "auto" is the number of cores that this process may use. */
export function toWorkerCount(workers: WorkerCount = 1): number {
  return workers === "auto" ? Math.min(availableParallelism(), maxWorkers) : workers;
}

/** Reads the option of the command line. Throws CommandError. */
export function parseWorkerCount(text: string): WorkerCount {
  if (text === "auto") return text;
  const count = Number(text);
  if (text.trim() === "" || !Number.isInteger(count) || count < 1 || count > maxWorkers) {
    throw new CommandError(`--workers must be "auto" or a whole number from 1 to ${maxWorkers}, got "${text}"`);
  }
  return count;
}
