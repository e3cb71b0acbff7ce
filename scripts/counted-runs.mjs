// Runs commands one after the other and adds up what they count. Ends with one plain line "N passed, M failed".
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const results = `${root}/results`;

const total = { passed: 0, failed: 0 };

/**
 * Runs one command that writes its counts to `report`, as JSON, which `count` reads. A run that writes none, or fails without
 * a failed test, counts as one failure.
 */
export function runCounted(title, { node = process.execPath, args }, report, count = (counts) => counts) {
  console.log(`\n${title}`);
  mkdirSync(results, { recursive: true });
  rmSync(report, { force: true });
  const { status } = spawnSync(node, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const counts = existsSync(report) ? count(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 1 };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  total.passed += counts.passed;
  total.failed += counts.failed;
}

/** Runs vitest with these arguments. */
export function runTests(title, report, { node, args = [] }) {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json"];
  const command = { node, args: [...vitest, `--outputFile.json=${report}`, ...args] };
  runCounted(title, command, report, ({ numPassedTests, numFailedTests, numTotalTests }) => ({
    passed: numPassedTests,
    failed: numFailedTests + (numTotalTests === 0 ? 1 : 0),
  }));
}

/** Runs the fuzzers. One target counts as one test. */
export function runFuzzers(title, args) {
  const report = `${results}/fuzz.json`;
  runCounted(title, { args: [`${root}/fuzz/run.mjs`, ...args, "--report", report] }, report);
}

/** Prints the sum and ends the process. */
export function finish() {
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed === 0 ? 0 : 1);
}
