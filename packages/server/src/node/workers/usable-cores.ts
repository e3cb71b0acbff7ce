// How many cores this process may use: those that it may run on, and no more than the CPU limits of its control groups, which is how
// containers are limited. `availableParallelism` of Node 20 does not know these limits.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/**
 * How many cores this process may use, at least 1. A limit of 2.5 cores counts as 2, as in later versions of Node, because a third
 * worker would be throttled.
 *
 * @example
 * import { usableCores } from "@lethe/server/workers";
 *
 * console.log(usableCores() >= 1); // true
 */
export function usableCores(): number {
  return limitCores(availableParallelism(), readText);
}

/** `read` returns the text of a file, or undefined if it cannot be read. */
export function limitCores(cores: number, read: (path: string) => string | undefined): number {
  return Math.max(1, Math.floor(Math.min(cores, ...cpuLimits(read))));
}

/** In cores, those of all control groups that contain this process. Empty on other systems than Linux. */
function cpuLimits(read: (path: string) => string | undefined): number[] {
  return (read("/proc/self/cgroup") ?? "").split("\n").flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) return [];
    if (controllers === "") return groupsOf(path).map((group) => limitOfVersion2(read, group));
    return controllers.split(",").includes("cpu") ? groupsOf(path).map((group) => limitOfVersion1(read, group)) : [];
  });
}

/** The group at `path` and those around it. A container may see its own group as the outermost one, and `path` may not exist there. */
function groupsOf(path: string): string[] {
  const names = path.split("/").filter((name) => name !== "");
  return Array.from({ length: names.length + 1 }, (_, count) => ["", ...names.slice(0, count)].join("/"));
}

function limitOfVersion2(read: (path: string) => string | undefined, group: string): number {
  const [quota, period] = (read(`/sys/fs/cgroup${group}/cpu.max`) ?? "").trim().split(" ");
  return toCores(quota, period);
}

function limitOfVersion1(read: (path: string) => string | undefined, group: string): number {
  const folder = `/sys/fs/cgroup/cpu${group}`;
  return toCores(read(`${folder}/cpu.cfs_quota_us`), read(`${folder}/cpu.cfs_period_us`));
}

/** Infinity without a limit, for which a quota is "max" or -1. */
function toCores(quota: string | undefined, period: string | undefined): number {
  const cores = Number(quota) / Number(period);
  return cores > 0 ? cores : Number.POSITIVE_INFINITY;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
