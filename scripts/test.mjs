// npm test: installs, builds, runs all tests, and ends with one plain line "N passed, M failed" that counts each test once.
// Arguments are passed to vitest (npm test -- packages/protocol). Only vitest runs then.
import {
  finish,
  repeatTests,
  results,
  root,
  runCounted,
  runFuzzers,
  runSimulation,
  runTests,
} from "./counted-runs.mjs";
import { makeReady } from "./ready.mjs";
import { installSystemPackages } from "./system-packages.mjs";

makeReady();
installSystemPackages();

const chosen = process.argv.slice(2);

const tests = runTests("Unit and end-to-end tests", `${results}/vitest.json`, { args: chosen });

if (chosen.length === 0) {
  const report = `${results}/conformance.json`;
  runCounted("Official conformance suite", { args: [`${root}/conformance/run.mjs`, "--report", report] }, report);
  // The conformance suite installs the newer version of Node that it needs. The unit tests use it as well.
  const node = `${root}/conformance/suite/node_modules/.bin/node`;
  repeatTests("Unit tests on Node 24", `${results}/vitest-node-24.json`, { node, args: ["--project", "unit"] }, tests);
  // A fixed seed gives the same inputs each time, so a new failure comes from a code change.
  runFuzzers("Fuzzing, short", ["--seconds", "20", "--seed", "1"]);
  runSimulation("Simulated outages, 2,000 schedules", 2_000);
}

finish();
