// The option --workers.
import { findWorkersProblem } from "@lethe/server/workers";
import { CommandError } from "../exit-code.ts";

/** Throws CommandError. */
export function parseWorkerCount(text: string): number | "auto" {
  const workers = text === "auto" ? text : Number(text);
  const problem = findWorkersProblem(workers);
  if (problem !== undefined) throw new CommandError(`--workers ${problem}, got "${text}"`);
  return workers;
}
