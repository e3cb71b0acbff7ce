// What tells a process from a later one that was given the same number: when it began, as the system knows it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Of the start of this machine: numbers and times of before mean nothing after it. Empty where nothing tells. */
export function bootOf(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Undefined when no such process runs, or the system does not tell. */
export function startOf(pid: number): string | undefined {
  try {
    if (process.platform === "linux") return ticksOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    const text = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio }).trim();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Field 22, unless the third says that it has ended and nobody has asked how. The second, the name, may hold anything. */
function ticksOf(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}
