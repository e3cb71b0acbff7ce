// The number of cores that "auto" workers use in containers.
import { expect, test } from "vitest";
import { limitCores } from "./usable-cores.ts";

function coresWith(files: Readonly<Record<string, string>>, cores = 64): number {
  return limitCores(cores, (path) => files[path]);
}

test("uses the cores that the process may run on where nothing limits their time", () => {
  expect(coresWith({})).toBe(64);
  expect(coresWith({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n" })).toBe(64);
  const unlimited = {
    "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
    "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
  };
  expect(coresWith({ "/proc/self/cgroup": "4:cpu,cpuacct:/\n", ...unlimited })).toBe(64);
});

test("keeps to the limit of a container", () => {
  expect(coresWith({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "400000 100000\n" })).toBe(4);
  // The container sees its own group as the outermost one, but reads the path that it has outside.
  const limited = {
    "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "150000\n",
    "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "50000\n",
  };
  expect(coresWith({ "/proc/self/cgroup": "5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n", ...limited })).toBe(3);
});

test("keeps to the lowest limit of the groups that contain the process", () => {
  const files = {
    "/proc/self/cgroup": "0::/kubepods/pod 1/main\n",
    "/sys/fs/cgroup/kubepods/cpu.max": "6000000 100000\n",
    "/sys/fs/cgroup/kubepods/pod 1/cpu.max": "200000 100000\n",
    "/sys/fs/cgroup/kubepods/pod 1/main/cpu.max": "max 100000\n",
  };
  expect(coresWith(files)).toBe(2);
});

test("rounds a limit down, and never to less than one core", () => {
  expect(coresWith({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "250000 100000\n" })).toBe(2);
  expect(coresWith({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "50000 100000\n" })).toBe(1);
});

test("ignores files that it cannot understand", () => {
  expect(coresWith({ "/proc/self/cgroup": "cpu\n0::\n:::\n", "/sys/fs/cgroup/cpu.max": "" })).toBe(64);
  expect(coresWith({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "many 0\n" })).toBe(64);
});

test("uses no more cores than the process may run on", () => {
  expect(coresWith({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "400000 100000\n" }, 2)).toBe(2);
});
