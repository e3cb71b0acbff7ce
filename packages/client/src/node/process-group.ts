// Process groups of servers. Every group is killed when this process ends.
import { spawnSync } from "node:child_process";

/** Windows has no process groups to signal: there the process tree is killed while its root is alive. */
export const hasGroups: boolean = process.platform !== "win32";
const deadlySignals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The groups that may still contain a process. At most one per server. */
const live = new Set<number>();

/** `pid` leads its own group. From now on, the group is killed when this process ends in any way that Node can observe. */
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

/** Returns false if the group is empty. On Windows every signal kills. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (!hasGroups) return signal !== 0 && spawnSync("taskkill", killArguments(pid), { windowsHide: true }).status === 0;
  try {
    return process.kill(-pid, signal);
  } catch (error) {
    // EPERM: the process belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Options of taskkill: force, and include all descendants. */
export function killArguments(pid: number): string[] {
  return ["/pid", String(pid), "/T", "/F"];
}

function killAll(): void {
  for (const pid of live) signalGroup(pid, "SIGKILL");
}

// A separate process group does not receive Ctrl-C, and a process killed by a signal runs no exit handlers. Both are handled here.
function dieOf(signal: NodeJS.Signals): void {
  // The application listens too, so it decides whether to exit; the exit handler kills the groups.
  if (process.listenerCount(signal) > 1) return;
  killAll();
  stopWatching();
  process.kill(process.pid, signal);
}

function stopWatching(): void {
  process.off("exit", killAll);
  for (const signal of deadlySignals) process.off(signal, dieOf);
}
