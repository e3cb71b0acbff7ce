// How many workers serve a gateway.
import { CommandError } from "../exit-code.ts";

/** More processes than this are a mistake. */
export const maxWorkers = 256;

export type WorkerCount = number | "auto";

/** Reads the option of the command line. Throws CommandError. */
export function parseWorkerCount(text: string): WorkerCount {
  if (text === "auto") return text;
  const count = Number(text);
  if (text.trim() === "" || !Number.isInteger(count) || count < 1 || count > maxWorkers) {
    throw new CommandError(`--workers must be "auto" or a whole number from 1 to ${maxWorkers}, got "${text}"`);
  }
  return count;
}
