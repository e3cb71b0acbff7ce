// Process groups of the author's code. Every group is killed when this process ends in a way that Node can observe.
import { spawnSync } from "node:child_process";

const hasGroups = process.platform !== "win32";
/** At most the server in use, the next one, a spare and those that finish their calls. */
const live = new Set<number>();

export function enlistGroup(pid: number): void {
  if (live.size === 0) process.on("exit", killAll);
  live.add(pid);
}

export function dismissGroup(pid: number): void {
  if (live.delete(pid) && live.size === 0) process.off("exit", killAll);
}

/** On Windows every signal kills. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (!hasGroups) {
    spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty.
  }
}

function killAll(): void {
  for (const pid of live) signalGroup(pid, "SIGKILL");
}
