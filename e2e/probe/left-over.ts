// Finds resources that a probe may leave in this process and child processes of another one.
import { execFileSync } from "node:child_process";

/** Open sockets of this process. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith("TCPSocket")).length;
}

/** Every process below `pid`, at any depth. */
export function descendantsOf(pid: number): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const children = new Map<number, number[]>();
  for (const row of rows) {
    const [child, parent] = row.trim().split(/\s+/).map(Number) as [number, number];
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found: number[] = [];
  for (const queue = [pid]; queue.length > 0; ) {
    const next = children.get(queue.shift() as number) ?? [];
    found.push(...next);
    queue.push(...next);
  }
  return found;
}
