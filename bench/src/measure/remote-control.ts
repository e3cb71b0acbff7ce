// Controls a contender under Node (--import) through lines on stdin. "heap" prints the heap size on stdout; "change 500" emits
// the change signal 500 times in one turn.
import { createInterface } from "node:readline";

createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, count] = line.split(" ");
  if (command === "heap") process.stdout.write(`heap ${heapBytes()}\n`);
  if (command === "change") for (let left = Number(count); left > 0; left -= 1) process.emit("SIGUSR2", "SIGUSR2");
});

/** Bytes in use after a garbage collection, including buffers outside of the heap. */
function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
