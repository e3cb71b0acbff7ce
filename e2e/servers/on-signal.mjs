// A dual-era server made from the official SDK v2 that finishes its start when a file exists. Counts its starts in another file.
import { appendFileSync, existsSync, watch } from "node:fs";
import { dirname } from "node:path";

const [signal, starts] = process.argv.slice(2);
appendFileSync(starts, "started\n");
console.error("starting");
await new Promise((resolve) => {
  const go = () => {
    if (existsSync(signal)) resolve(watcher.close());
  };
  const watcher = watch(dirname(signal), go);
  go();
});
await import("./official-v2-stdio.mjs");
