// After 100,000 calls, the gateway uses as much memory as after 10,000, and exits on its own.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("many-calls.mjs", import.meta.url));

it("100,000 calls with input requests, progress, errors and cancellations leak no memory", {
  timeout: 180_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, "100000"]);
  const { heapGrowth, pendingCalls } = JSON.parse(stdout);
  expect(pendingCalls).toBe(0);
  // Allows for compiled code: eleven bytes per call.
  expect(heapGrowth).toBeLessThan(1_000_000);
});
