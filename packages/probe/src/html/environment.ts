// The machine and the versions with which times were measured.
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** What a reader needs to judge the times of a report. */
export interface Environment {
  /** "Lethe 0.1.0". */
  readonly product: string;
  /** "Node.js 20.20.2". */
  readonly runtime: string;
  /** "Linux 6.1". */
  readonly system: string;
  /** "2 × AMD EPYC". */
  readonly processors: string;
  readonly memoryGiB: number;
  /** Of the last minute, at the start: more than the number of processors means that the times are too long. Not on Windows. */
  readonly load: number | undefined;
}

/** The version of the package. */
const version = "0.1.0";

export function readEnvironment(): Environment {
  const processors = cpus();
  const [load = 0] = loadavg();
  return {
    product: `Lethe ${version}`,
    runtime: `Node.js ${process.versions.node}`,
    system: `${type()} ${release().split("-")[0]}`,
    processors: `${processors.length} × ${processors[0]?.model.trim() ?? "unknown processor"}`,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    load: process.platform === "win32" ? undefined : Math.round(load * 10) / 10,
  };
}

/** One sentence. */
export function toEnvironmentText(environment: Environment): string {
  const { product, runtime, system, processors, memoryGiB, load } = environment;
  const busy = load === undefined ? "" : `, load average ${load}`;
  return `${product}, ${runtime}, ${system}, ${processors}, ${memoryGiB} GiB${busy}.`;
}

/** "2026-07-28, 14:05 UTC", of a time in ms since 1970. */
export function toMinuteText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", ", ")} UTC`;
}
