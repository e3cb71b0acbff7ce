// npm run test:full: what takes too long for npm test. Ends with one plain line "N passed, M failed".
//   npm run test:full -- [--minutes N] [--seed N]     how long the fuzzers run, and with which inputs; default 5 and 31337
import { parseArgs } from "node:util";
import { finish, results, runFuzzers, runTests } from "./counted-runs.mjs";
import { makeReady } from "./ready.mjs";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string", default: "31337" } },
});
makeReady();

// Toolchains of other languages build their programs here. Where one is missing, its tests are skipped and say why.
process.env.LETHE_FULL = "1";
runTests("Servers and clients in other languages", `${results}/languages.json`, { args: ["e2e/languages"] });

// The same inputs by default: a change that breaks one is to blame. Another seed finds what this one misses.
runFuzzers("Fuzzing", ["--minutes", values.minutes, "--seed", values.seed]);

finish();
