// Gives the contenders one core and the load another, so that they do not take time from each other.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Cores {
  /** Put before a contender's command. */
  prefix: readonly string[];
  /** Put before what runs beside the load. */
  loadPrefix: readonly string[];
  /** Put before what a contender starts and is not measured: it runs on either core, wherever there is room. */
  eitherPrefix: readonly string[];
  /** Where things run, for the report. */
  note: string;
}

const notPinned: Cores = {
  prefix: [],
  loadPrefix: [],
  eitherPrefix: [],
  note: "server and load share all cores (no taskset, or one core only)",
};

/** Pins this process to the second core it may use. */
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
