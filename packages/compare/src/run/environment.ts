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
  readonly load?: number;
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
    ...(process.platform !== "win32" && { load: Math.round(load * 10) / 10 }),
  };
}
