// Lists the descendants of a process.
import { execFileSync, spawnSync } from "node:child_process";

export interface RunningProcess {
  pid: number;
  command: string;
}

export function childrenOf(pid: number): RunningProcess[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  return rows.flatMap((row) => {
    const [, child, parent, command] = row.match(/^\s*(\d+)\s+(\d+)\s+(.*)$/) ?? [];
    return Number(parent) === pid ? [{ pid: Number(child), command: command ?? "" }] : [];
  });
}

/** False for a process that has ended, including a zombie. */
export function isAlive(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}
