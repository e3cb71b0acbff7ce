// Assigns one core to the contenders and another to the load, so that they do not compete.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Cores {
  /** The prefix of a contender's command. */
  prefix: readonly string[];
  /** The prefix of a command that shares the core of the load. */
  loadPrefix: readonly string[];
  /** The prefix of an unmeasured process that a contender starts. It may use both cores. */
  eitherPrefix: readonly string[];
  /** A description of the assignment, for the report. */
  note: string;
}

const notPinned: Cores = {
  prefix: [],
  loadPrefix: [],
  eitherPrefix: [],
  note: "server and load share all cores (no taskset, or one core only)",
};

/** Pins this process to the second available core. */
export function separateCores(): Cores {
  const [server, load] = allowedCores();
  if (server === undefined || load === undefined) return notPinned;
  try {
    execFileSync("taskset", ["-acp", String(load), String(process.pid)], { stdio: "ignore" });
  } catch {
    return notPinned;
  }
  return {
    prefix: ["taskset", "-c", String(server)],
    loadPrefix: ["taskset", "-c", String(load)],
    eitherPrefix: ["taskset", "-c", `${server},${load}`],
    note: `server on core ${server}, load on core ${load}`,
  };
}

function allowedCores(): number[] {
  try {
    const list = /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
    return list.split(",").flatMap((range) => {
      const [first = 0, last = first] = range.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  } catch {
    return [];
  }
}
