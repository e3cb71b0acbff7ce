// Loaded into a contender under Node (--import), so that its heap can be asked for and its change signal given many times in
// one turn. Takes lines on stdin: "heap" is answered on stdout, "change 500" is not.
import { createInterface } from "node:readline";

createInterface({ input: process.stdin }).on("line", (line) => {
  const [command, count] = line.split(" ");
  if (command === "heap") process.stdout.write(`heap ${heapBytes()}\n`);
  if (command === "change") for (let left = Number(count); left > 0; left -= 1) process.emit("SIGUSR2", "SIGUSR2");
});

/** What is still in use after garbage collection, buffers outside of the heap included. */
function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
