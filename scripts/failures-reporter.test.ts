// The list of failures that npm test prints at its end.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("lists failed tests, files that cannot be imported, and errors outside of tests, each with its file", () => {
  const folder = mkdtempSync(join(tmpdir(), "lethe-failures-"));
  const list = join(folder, "failures.json");
  const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
  const reporter = fileURLToPath(new URL("failures-reporter.mjs", import.meta.url));
  const cwd = fileURLToPath(new URL("testdata/failing-tests", import.meta.url));
  spawnSync(process.execPath, [vitest, "run", `--reporter=${reporter}`], {
    cwd,
    env: { ...process.env, LETHE_FAILURES: list },
  });
  const failures: object[] = JSON.parse(readFileSync(list, "utf8"));
  rmSync(folder, { recursive: true });

  expect(failures).toHaveLength(3);
  expect(failures).toContainEqual({
    file: "broken.case.ts",
    name: "the file itself",
    message: expect.stringContaining("cannot be imported"),
  });
  expect(failures).toContainEqual({
    file: "failing.case.ts",
    name: "a group > fails",
    isTest: true,
    message: expect.stringMatching(/expected 1 to be 2[\s\S]*failing\.case\.ts:6/),
  });
  expect(failures).toContainEqual({
    file: "failing.case.ts",
    name: "an error outside of the tests",
    message: expect.stringContaining("too late"),
  });
});
