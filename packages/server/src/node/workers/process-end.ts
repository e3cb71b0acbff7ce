// The end of a worker's process, and its reason.
import type { ChildProcess } from "node:child_process";

/** How long the pipes of an ended process are read, in ms. */
const readMs = 1_000;

/** Resolves with the reason of the end, after what the process wrote at last was read. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const toReason = (code: number | null, signal: NodeJS.Signals | null): string =>
      signal ? `it was ended by ${signal}` : `it exited with code ${code}`;
    child.once("close", (code, signal) => resolve(toReason(code, signal)));
    child.once("error", (error) => resolve(error.message));
    // A process that it left behind may hold its pipes.
    child.once("exit", (code, signal) => setTimeout(() => resolve(toReason(code, signal)), readMs));
  });
}
