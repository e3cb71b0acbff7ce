// The memory of a server stays constant over time.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

const script = fileURLToPath(new URL("memory.mjs", import.meta.url));
/** In bytes. Optimized code takes some memory. */
const noise = 1_500_000;
let grown: { ofCalls: number; ofStreams: number; ofChanges: number };

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, "30000", "1000"]);
  grown = JSON.parse(stdout);
}, 180_000);

it("a server leaks no memory over tens of thousands of calls with input requests, progress, errors and disconnects", () => {
  expect(grown.ofCalls).toBeLessThan(noise);
});

it("a server bounds its memory while 1,000 unread streams receive thousands of changes", () => {
  expect(grown.ofStreams).toBeLessThan(60_000);
  expect(grown.ofChanges).toBeLessThan(noise);
});
