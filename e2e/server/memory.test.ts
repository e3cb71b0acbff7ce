// A server that is used for long holds what it held at first.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

const script = fileURLToPath(new URL("memory.mjs", import.meta.url));
/** Bytes. What the engine makes of code that runs often is not nothing. */
const noise = 1_500_000;
let grown: { ofCalls: number; ofStreams: number; ofChanges: number };

beforeAll(async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script, "30000", "1000"]);
  grown = JSON.parse(stdout);
}, 180_000);

it("after tens of thousands of calls, with questions, progress, errors and clients that leave", () => {
  expect(grown.ofCalls).toBeLessThan(noise);
});

it("while a thousand streams that nobody reads are told of thousands of changes", () => {
  expect(grown.ofStreams).toBeLessThan(60_000);
  expect(grown.ofChanges).toBeLessThan(noise);
});
