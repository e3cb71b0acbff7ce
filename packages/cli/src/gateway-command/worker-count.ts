// The option --workers.
import { CommandError } from "../exit-code.ts";

/** As in @lethe/server/workers, which is loaded only when a gateway starts. */
const maxWorkers = 256;

/** Throws CommandError. */
export function parseWorkerCount(text: string): number | "auto" {
  if (text === "auto") return text;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > maxWorkers) {
    throw new CommandError(`--workers must be "auto" or a whole number from 1 to ${maxWorkers}, got "${text}"`);
  }
  return count;
}
