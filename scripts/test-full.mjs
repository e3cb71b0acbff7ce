// npm run test:full: what takes too long for npm test. Ends with one plain line "N passed, M failed".
//   npm run test:full -- [--minutes N]     how long the fuzzers run; default 10
import { parseArgs } from "node:util";
import { finish, results, runFuzzers, runTests } from "./counted-runs.mjs";
import { makeReady } from "./ready.mjs";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "10" } } });
makeReady();

// Toolchains of other languages build their programs here. Where one is missing, its tests are skipped and say why.
process.env.LETHE_FULL = "1";
runTests("Servers and clients in other languages", `${results}/languages.json`, { args: ["e2e/languages"] });

// A new seed each time: what one run misses, another finds. The seed of a failure is printed.
runFuzzers("Fuzzing", ["--minutes", values.minutes]);

finish();
