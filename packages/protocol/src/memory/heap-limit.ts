// The heap limit of this process, if the runtime reports one.

/** Used without a known heap limit, for example in edge runtimes, where a process often has 128 MB in total. */
const usualHardBytes = 64 * 1024 * 1024;
/** The rest is for parsed values and for the program itself. */
const heapShare = 0.125;

interface NodeProcess {
  getBuiltinModule?(name: "node:v8"): { getHeapStatistics(): { heap_size_limit: number } };
}

/** An eighth of the heap limit of V8 (`--max-old-space-size`), or 64 MiB where it is unknown. */
export function defaultHardBytes(): number {
  try {
    // Not an import: this package also runs without Node.
    const { process } = globalThis as { process?: NodeProcess };
    const limit = process?.getBuiltinModule?.("node:v8").getHeapStatistics().heap_size_limit;
    return limit ? Math.round(limit * heapShare) : usualHardBytes;
  } catch {
    return usualHardBytes;
  }
}
