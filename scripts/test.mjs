// npm test: installs, builds, runs all tests, and ends with one plain line "N passed, M failed" that counts each test once.
// Arguments are passed to vitest (npm test -- packages/protocol). Only vitest runs then.
import { finish, results, root, runCounted, runFuzzers, runTests, startSimulation } from "./counted-runs.mjs";
import { makeReady } from "./ready.mjs";
import { slowSuites } from "./slow-suites.mjs";
import { installSystemPackages } from "./system-packages.mjs";

makeReady();
installSystemPackages();

const chosen = process.argv.slice(2);

// npm run test:full runs these, too: the servers and clients in other languages, with their toolchains, long outages, and large runs.
const excluded = [
  ...slowSuites,
  "e2e/languages/**",
  "e2e/load-balancer/tasks-in-outages.test.ts",
  "e2e/gateway/attribution.test.ts",
  "e2e/why/**",
];
const args = chosen.length > 0 ? chosen : excluded.flatMap((pattern) => ["--exclude", pattern]);
await runTests("Unit and end-to-end tests", `${results}/vitest.json`, { args });

if (chosen.length === 0) {
  const simulationEnd = startSimulation("Simulated outages, 2,000 schedules", 1, 2_000);
  const report = `${results}/conformance.json`;
  await runCounted("Official conformance suite", { args: [`${root}/conformance/run.mjs`, "--report", report] }, report);
  // A fixed seed gives the same inputs each time, so a new failure comes from a code change.
  await runFuzzers("Fuzzing, short", ["--seconds", "20", "--seed", "1"]);
  await simulationEnd();
}

finish("test");
