// npm test: installs, builds and runs everything, and ends with one plain line "N passed, M failed".
// Further arguments go to vitest (npm test -- packages/protocol) and then only vitest runs.
import { finish, results, root, runCounted, runFuzzers, runTests } from "./counted-runs.mjs";
import { makeReady } from "./ready.mjs";
import { installSystemPackages } from "./system-packages.mjs";

makeReady();
installSystemPackages();

const chosen = process.argv.slice(2);

runTests("Unit and end-to-end tests", `${results}/vitest.json`, { args: chosen });

const conformance = `${root}/conformance/run.mjs`;
if (chosen.length === 0) {
  const report = `${results}/conformance.json`;
  runCounted("Official conformance suite", { args: [conformance, "--report", report] }, report);
  // The suite brings the newer Node that it needs itself.
  const node = `${root}/conformance/suite/node_modules/.bin/node`;
  runTests("Unit tests on Node 24", `${results}/vitest-node-24.json`, { node, args: ["--project", "unit"] });
  // Always the same inputs: a change that breaks one is to blame. Longer runs are those of npm run test:full.
  runFuzzers("Fuzzing, short", ["--seconds", "20", "--seed", "1"]);
}

finish();
