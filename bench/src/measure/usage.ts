// The CPU time and memory of a process as the kernel counts them; undefined on systems without /proc.
import { readFileSync } from "node:fs";

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** User and system time of all threads so far, in seconds, to 10 ms. */
export function cpuSecondsOf(pid: number): number | undefined {
  const stat = readProc(pid, "stat");
  // The command name may hold spaces and parentheses; the numbers start after its last ")".
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields && (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident set size in bytes. */
export function rssBytesOf(pid: number): number | undefined {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readProc(pid, "status") ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Sum of the resident set sizes of a process and its descendants, in bytes. Shared memory counts several times. */
export function rssBytesOfTree(pid: number): number | undefined {
  const own = rssBytesOf(pid);
  if (own === undefined) return undefined;
  return childrenOf(pid).reduce((sum, child) => sum + (rssBytesOfTree(child) ?? 0), own);
}

/** The processes that this one has started. */
export function childrenOf(pid: number): readonly number[] {
  return (readProc(pid, `task/${pid}/children`) ?? "").split(" ").filter(Boolean).map(Number);
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
