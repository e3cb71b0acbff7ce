// Ctrl-C ends what a command does, and leaves it the time to clean up. A second one ends the process.
import { CommandError } from "../exit-code.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const interrupted = 130;

/** Rejects with CommandError when a signal came, however `work` then ends. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const { signal } = stopped;
  // It stays until the work is over: whoever stops server processes gives way to it (and would kill them at once).
  const stop = () => {
    if (signal.aborted) process.exit(interrupted);
    stopped.abort(new CommandError("interrupted", interrupted));
  };
  for (const name of signals) process.on(name, stop);
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    for (const name of signals) process.off(name, stop);
  }
}
