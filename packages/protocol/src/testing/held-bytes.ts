// Measures the heap that a structure retains, for tests of memory limits. Collects garbage first.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The bytes of heap and array buffers that the result of `build` keeps. */
export async function heldBytes(build: () => unknown): Promise<number> {
  const before = await usedBytes();
  const built = build();
  const after = await usedBytes();
  // Reads the value after the measurement, which keeps it alive until then.
  return built === undefined ? 0 : after - before;
}

/** The heap in use after a garbage collection, in bytes. */
export async function usedBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Buffers are released in a later turn than the objects that own them.
  collect();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
