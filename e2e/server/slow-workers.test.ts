// Workers that load slowly, as on a busy machine.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("slow-workers-program.mjs", import.meta.url));

it("lets workers load their program for longer than a worker may stand still", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout.split("\n", 2)).toEqual(["started", "started"]);
});
