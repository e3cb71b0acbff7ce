// Connects and closes thousands of times: no socket, timer, process or memory leaks.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("connects.mjs", import.meta.url));

it.each([
  ["modern", 10_000],
  ["sessions", 1_000],
  ["sse", 1_000],
  ["refused", 2_000],
  ["stdio", 100],
])("a client that connects %s %i times leaks nothing", { timeout: 180_000 }, async (peer, count) => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, peer, String(count)]);
  const { resourcesBefore, resourcesAfter, heapGrowth } = JSON.parse(stdout);
  expect(resourcesAfter).toBe(resourcesBefore);
  // A leaked client would take thousands of bytes.
  expect(heapGrowth).toBeLessThan(300_000 + 75 * count);
});
