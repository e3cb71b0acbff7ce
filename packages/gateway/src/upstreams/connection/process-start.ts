// Tells a process from a later one with the same id, by the time at which it started.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Identifies the current boot of this machine. Process ids and times of an earlier boot mean nothing. Empty if unknown. */
export function bootOf(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Returns undefined if no such process runs or the system does not tell. */
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

/** Returns field 22, unless field 3 says that the process is a zombie. Field 2, the name, may contain anything. */
function ticksOf(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" ? undefined : fields[19];
}
