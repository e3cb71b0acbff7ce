// How much heap this process may use, where the runtime tells.

/** Without a known heap limit, as at the edge, where a process often has 128 MB in all. */
const usualHardBytes = 64 * 1024 * 1024;
/** The rest is for what is made of those bytes, and for the program itself. */
const heapShare = 0.125;

interface NodeProcess {
  getBuiltinModule?(name: "node:v8"): { getHeapStatistics(): { heap_size_limit: number } };
}

/** An eighth of the heap limit of V8 (`--max-old-space-size`), or 64 MiB where it is unknown. */
export function defaultHardBytes(): number {
  try {
    // Not an import: this package also runs where there is no Node.
    const { process } = globalThis as { process?: NodeProcess };
    const limit = process?.getBuiltinModule?.("node:v8").getHeapStatistics().heap_size_limit;
    return limit ? Math.round(limit * heapShare) : usualHardBytes;
  } catch {
    return usualHardBytes;
  }
}
