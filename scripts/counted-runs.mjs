// Runs commands one after another and counts their tests. Ends with one plain line "N passed, M failed".
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const results = `${root}/results`;

const total = { passed: 0, failed: 0 };

/**
 * Runs a command that writes `{ passed, failed }` as JSON to `report`, and adds both numbers to the total.
 * A command that writes no report, or exits with an error although no test failed, counts as one failure.
 */
export function runCounted(title, { node, args }, report) {
  add(run(title, { node, args }, report, (counts) => counts));
}

/** Runs vitest and adds its tests to the total. */
export function runTests(title, report, { args = [] } = {}) {
  add(run(title, vitest({ args }, report), report, readVitest));
}

/** Runs tests that were counted before on another version of Node. Together they count as one test, and each failure as one. */
export function repeatTests(title, report, { node, args = [] }) {
  const again = run(title, vitest({ node, args }, report), report, readVitest);
  console.log(`\n${title}: ${again.passed} passed, ${again.failed} failed (one test in the total)`);
  add({ passed: again.failed === 0 ? 1 : 0, failed: again.failed });
}

/** Runs the fuzzers. Each fuzz target counts as one test. */
export function runFuzzers(title, args) {
  const report = `${results}/fuzz.json`;
  runCounted(title, { args: [`${root}/fuzz/run.mjs`, ...args, "--report", report] }, report);
}

/** Runs rows of the fault table, or a fault history. Each row, and the history, counts as one test. */
export function runFaults(title, args) {
  const report = `${results}/faults.json`;
  runCounted(title, { args: [`${root}/faults/run.mjs`, ...args, "--report", report] }, report);
}

/** Runs simulated outages. All schedules together count as one test. */
export function runSimulation(title, schedules) {
  const report = `${results}/simulation.json`;
  const args = [`${root}/simulation/run.mjs`, "--schedules", String(schedules), "--report", report];
  runCounted(title, { args }, report);
}

/** Prints the total and exits. */
export function finish() {
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed === 0 ? 0 : 1);
}

/** The counts of a vitest report. A run without any test counts as one failure. */
export function readVitest({ numPassedTests, numFailedTests, numTotalTests }) {
  return { passed: numPassedTests, failed: numFailedTests + (numTotalTests === 0 ? 1 : 0) };
}

function vitest({ node, args }, report) {
  const command = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json"];
  return { node, args: [...command, `--outputFile.json=${report}`, ...args] };
}

function run(title, { node = process.execPath, args }, report, read) {
  console.log(`\n${title}`);
  mkdirSync(results, { recursive: true });
  rmSync(report, { force: true });
  const { status } = spawnSync(node, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const counts = existsSync(report) ? read(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 1 };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

function add({ passed, failed }) {
  total.passed += passed;
  total.failed += failed;
}
