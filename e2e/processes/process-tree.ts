// Which processes stand below another one, asked of the system.
import { execFileSync } from "node:child_process";

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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
