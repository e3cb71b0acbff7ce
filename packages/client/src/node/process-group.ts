// Server processes with everything that they started, and the promise that none of them outlives us.
import { spawnSync } from "node:child_process";

/** Windows has no groups that could be signalled: there a process is ended with its tree, for as long as it lives. */
export const hasGroups: boolean = process.platform !== "win32";
const deadlySignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The groups that we started and that may still have a process. As many as there are servers. */
const live = new Set<number>();

/** `pid` leads its own group. From now on the group dies with us, by whatever end that Node can see. */
export function enlistGroup(pid: number): void {
  if (live.size === 0) {
    process.on("exit", killAll);
    for (const signal of deadlySignals) process.on(signal, dieOf);
  }
  live.add(pid);
}

export function dismissGroup(pid: number): void {
  if (live.delete(pid) && live.size === 0) stopWatching();
}

/** False when nobody was left to hear it. On Windows there is only one signal, and it kills. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (!hasGroups) return signal !== 0 && spawnSync("taskkill", killArguments(pid), { windowsHide: true }).status === 0;
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: somebody is there who is not ours to signal.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Of taskkill: by force, with everything below. */
export function killArguments(pid: number): string[] {
  return ["/pid", String(pid), "/T", "/F"];
}

function killAll(): void {
  for (const pid of live) signalGroup(pid, "SIGKILL");
}

/** A group of its own hears no Ctrl-C, and a process that dies of a signal runs no exit handlers: both are done here. */
function dieOf(signal: NodeJS.Signals): void {
  // Somebody else listens too: it is the application's to decide, and its exit finds the other handler.
  if (process.listenerCount(signal) > 1) return;
  killAll();
  stopWatching();
  process.kill(process.pid, signal);
}

function stopWatching(): void {
  process.off("exit", killAll);
  for (const signal of deadlySignals) process.off(signal, dieOf);
}
