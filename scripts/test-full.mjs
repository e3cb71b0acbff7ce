// npm run test:full: the suites that take minutes. Ends with one plain line "N passed, M failed".
//   npm run test:full -- [--minutes N] [--seed N]     duration and seed of the fuzzers, 5 minutes and 31337 by default
import { parseArgs } from "node:util";
import { installSuite, suiteNode } from "../conformance/install-suite.mjs";
import { finish, repeatTests, results, runFaults, runFuzzers, runTests, startSimulation } from "./counted-runs.mjs";
import { installValkey } from "./install-valkey.mjs";
import { makeReady } from "./ready.mjs";
import { slowSuites } from "./slow-suites.mjs";
import { installSystemPackages } from "./system-packages.mjs";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string", default: "31337" } },
});
makeReady();
installSystemPackages();

// Beside the other tests, many of which wait most of the time. npm test has run the first 2,000.
const simulationEnd = startSimulation("Simulated outages, schedules 2,001 to 12,000", 2_001, 12_000);

await runTests("Slow suites", `${results}/slow-suites.json`, { args: slowSuites });

installSuite();
// What users run. The tools of this repository run on the Node of its developers.
await repeatTests("Unit tests of the packages on Node 24", `${results}/vitest-node-24.json`, {
  node: suiteNode,
  args: ["--project", "unit", "packages", ...slowSuites.flatMap((file) => ["--exclude", file])],
});

const valkey = findValkey();
if (valkey) {
  await repeatTests("Tests of the shared stores on Valkey", `${results}/valkey.json`, {
    args: ["--project", "unit", "packages/redis"],
    env: { LETHE_REDIS_PROGRAM: valkey },
  });
}

// Side by side, because none of them keeps two cores busy:
// - the toolchains of other languages build their programs here; without a toolchain, its tests are skipped with a reason;
// - 1,000 elicitations for each transport, number of callers and era;
// - the tests of a project of every template;
// - the same server in four libraries, one of them in Python;
// - 30 tasks of 60 steps while Redis stands still four times for 18 s.
process.env.LETHE_FULL = "1";
await runTests("Other languages, and large runs of tests", `${results}/large-runs.json`, {
  args: [
    "e2e/languages",
    "e2e/gateway/attribution.test.ts",
    "e2e/packages/getting-started.test.ts",
    "e2e/why",
    "e2e/load-balancer/tasks-in-outages.test.ts",
  ],
});

// A fixed seed gives the same inputs each time. Another seed finds other defects.
const fuzzing = runFuzzers("Fuzzing", ["--minutes", values.minutes, "--seed", values.seed], { isInBackground: true });
// The faults with the largest effect, which mostly wait, beside the fuzzers. They fail for a call that ran twice, an untyped error, a call
// without an end, or a process that outlives the run, and not for a slow machine. Random histories (npm run faults -- history) differ from
// run to run.
const rows = ["kill", "rolling", "stop-30", "redis-stop-15", "redis-full", "failover", "cut-off"];
await runFaults("Faults one by one", ["table", ...rows.flatMap((row) => ["--only", row])]);
// A small run of what docs/scaling.md reports of 100,000 sessions.
await runFaults("Idle sessions of a fleet", ["idle", "--sessions", "300", "--idle-seconds", "5"]);
await fuzzing;

await simulationEnd();

finish("test-full");

function findValkey() {
  try {
    return installValkey();
  } catch (error) {
    console.log(`\nTests of the shared stores on Valkey: not run: ${error.message}`);
    return undefined;
  }
}
