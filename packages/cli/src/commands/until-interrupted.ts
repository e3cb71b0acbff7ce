// Ctrl-C aborts the work of a command and lets it clean up. A second one ends the process.
import { CommandError } from "../exit-code.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const interrupted = 130;

/** Rejects with CommandError after a signal, regardless of how `work` ends. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const { signal } = stopped;
  // Stays until the work ends. Without it, the code that stops server processes would kill them at once.
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
