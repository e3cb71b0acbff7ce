// npm run test:full: the suites that take minutes. Ends with one plain line "N passed, M failed".
//   npm run test:full -- [--minutes N] [--seed N]     duration and seed of the fuzzers, 5 minutes and 31337 by default
import { parseArgs } from "node:util";
import { finish, results, runFuzzers, runTests } from "./counted-runs.mjs";
import { makeReady } from "./ready.mjs";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string", default: "31337" } },
});
makeReady();

// The toolchains of other languages build their programs here. Without a toolchain its tests are skipped with a reason.
process.env.LETHE_FULL = "1";
runTests("Servers and clients in other languages", `${results}/languages.json`, { args: ["e2e/languages"] });
// 1,000 elicitations for each transport, number of callers and era.
runTests("Attribution of elicitations", `${results}/attribution.json`, { args: ["e2e/gateway/attribution.test.ts"] });

// A fixed seed gives the same inputs each time. Another seed finds other defects.
runFuzzers("Fuzzing", ["--minutes", values.minutes, "--seed", values.seed]);

finish();
