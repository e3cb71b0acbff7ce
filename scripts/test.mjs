// npm test: installs, builds and runs everything, and ends with one plain line "N passed, M failed".
// Further arguments go to vitest (npm test -- packages/protocol) and then only vitest runs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeReady } from "./ready.mjs";
import { installSystemPackages } from "./system-packages.mjs";

makeReady();
installSystemPackages();

const root = fileURLToPath(new URL("..", import.meta.url));
const results = `${root}/results`;
const chosen = process.argv.slice(2);
mkdirSync(results, { recursive: true });

const total = { passed: 0, failed: 0 };

/** Runs one command that writes its counts to `report`. A run that writes none, or fails without a failed test, counts as one failure. */
function runCounted(title, { node = process.execPath, args }, report, count) {
  console.log(`\n${title}`);
  rmSync(report, { force: true });
  const { status } = spawnSync(node, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const counts = existsSync(report) ? count(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 1 };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  total.passed += counts.passed;
  total.failed += counts.failed;
}

function runTests(title, report, { node, args = [] }) {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--reporter=default", "--reporter=json"];
  const command = { node, args: [...vitest, `--outputFile.json=${report}`, ...args] };
  runCounted(title, command, report, ({ numPassedTests, numFailedTests, numTotalTests }) => ({
    passed: numPassedTests,
    failed: numFailedTests + (numTotalTests === 0 ? 1 : 0),
  }));
}

runTests("Unit and end-to-end tests", `${results}/vitest.json`, { args: chosen });

const conformance = `${root}/conformance/run.mjs`;
if (chosen.length === 0) {
  const report = `${results}/conformance.json`;
  runCounted("Official conformance suite", { args: [conformance, "--report", report] }, report, (counts) => counts);
  // The suite brings the newer Node that it needs itself.
  const node = `${root}/conformance/suite/node_modules/.bin/node`;
  runTests("Unit tests on Node 24", `${results}/vitest-node-24.json`, { node, args: ["--project", "unit"] });
}

console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
