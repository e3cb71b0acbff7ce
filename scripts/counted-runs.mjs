// Runs commands one after another and counts their tests. Lists what failed, and ends with one plain line "N passed, M failed".
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { results, root, runCommand } from "./run-command.mjs";

export { results, root };

const total = { passed: 0, failed: 0 };
/** What failed in all runs, as text to print. */
const failed = [];
/** What failed once and passed when its file ran again. */
const passedAgain = [];
/** How long each run took, as lines to print. Runs in the background overlap others. */
const durations = [];

/**
 * Runs a command that writes `{ passed, failed }` as JSON to `report`, and adds both numbers to the total.
 * A command that writes no report, or exits with an error although no test failed, counts as one failure.
 */
export async function runCounted(title, command, report) {
  const { output, ...counts } = await run(title, command, report, (written) => written);
  if (counts.failed > 0) failed.push(`${title}: ${counts.failed} failed. The end of its output:\n${output}`);
  add(counts);
}

/** Runs vitest and adds its tests to the total. */
export async function runTests(title, report, { args = [] } = {}) {
  add(await runVitest(title, report, { args }));
}

/**
 * Runs tests that were counted before on another version of Node, or with another environment. Together they count as one test, and each
 * failure as one.
 */
export async function repeatTests(title, report, { node, args = [], env }) {
  const again = await runVitest(title, report, { node, args, env });
  console.log(`\n${title}: ${again.passed} passed, ${again.failed} failed (one test in the total)`);
  add({ passed: again.failed === 0 ? 1 : 0, failed: again.failed });
}

/** Runs the fuzzers, in the background beside other runs. Each fuzz target counts as one test. */
export async function runFuzzers(title, args, { isInBackground = false } = {}) {
  const report = `${results}/fuzz.json`;
  await runCounted(title, { args: [`${root}/fuzz/run.mjs`, ...args, "--report", report], isInBackground }, report);
}

/** Runs rows of the fault table, or a fault history. Each row, and the history, counts as one test. */
export async function runFaults(title, args) {
  const report = `${results}/faults.json`;
  await runCounted(title, { args: [`${root}/faults/run.mjs`, ...args, "--report", report] }, report);
}

/**
 * Starts simulated outages with the numbers from `first` to `last`, which take the time of the processors that other tests leave. Returns
 * a function that waits for their end. All schedules together count as one test.
 */
export function startSimulation(title, first, last) {
  const report = `${results}/simulation.json`;
  const schedules = String(last - first + 1);
  const args = [`${root}/simulation/run.mjs`, "--from", String(first), "--schedules", schedules, "--report", report];
  const run = runCounted(title, { args, isInBackground: true }, report);
  return async () => {
    console.log(`\n${title}: waiting for the end`);
    await run;
  };
}

/** Prints the time of each run, what failed, and the total, keeps what failed in `results/failed-NAME.txt`, and exits. */
export function finish(name) {
  const lines = [
    ...passedAgain.map((text) => `Failed once, and passed when its file ran again alone: ${text}`),
    ...failed.map((text) => `FAILED ${text}`),
  ].join("\n\n");
  mkdirSync(results, { recursive: true });
  writeFileSync(`${results}/failed-${name}.txt`, lines && `${lines}\n`);
  console.log(`\nTime of each run:\n${durations.join("\n")}`);
  if (lines) console.log(`\n${lines}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed === 0 ? 0 : 1);
}

/** The counts of a vitest report. A run without any test counts as one failure. */
export function readVitest({ numPassedTests, numFailedTests, numTotalTests }) {
  return { passed: numPassedTests, failed: numFailedTests + (numTotalTests === 0 ? 1 : 0) };
}

/**
 * Runs vitest. In continuous integration, the files of failed tests run once more, alone: a foreign server may be slow beside a hundred
 * other processes. What fails twice has failed.
 */
async function runVitest(title, report, command) {
  const counts = await run(title, vitest(command, report), report, readVitest);
  if (counts.failed === 0) return counts;
  const first = readFailures();
  const files = [...new Set(first.map(({ file }) => file).filter(Boolean))];
  const canRepeat = process.env.CI && first.length > 0 && first.every(({ file }) => file);
  if (!canRepeat) return noteFailures(title, first, counts);

  const alone = { ...command, args: ["--no-file-parallelism", ...projectsOf(command), ...files] };
  const again = await run(
    `${title}: failed files again`,
    vitest(alone, `${report}.again`),
    `${report}.again`,
    readVitest,
  );
  const second = again.failed === 0 ? [] : readFailures();
  const remaining = first.filter(({ file }) => second.some((failure) => failure.file === file));
  passedAgain.push(...first.filter((failure) => !remaining.includes(failure)).map(toText(title)));
  const tests = first.filter(({ isTest }) => isTest).length;
  if (again.failed === 0) return { passed: counts.passed + tests, failed: 0 };
  return noteFailures(title, second, { ...counts, failed: Math.max(again.failed, 1) });
}

function noteFailures(title, failures, counts) {
  const output = failures.length === 0 ? [`${title}: the end of its output:\n${counts.output}`] : [];
  failed.push(...output, ...failures.map(toText(title)));
  return counts;
}

function toText(title) {
  return ({ file, name, message }) => `${title}: ${file ?? "no file"} > ${name}\n${message}`;
}

/** The arguments that choose a project of vitest. */
function projectsOf({ args }) {
  const place = args.indexOf("--project");
  return place < 0 ? [] : args.slice(place, place + 2);
}

function vitest({ node, args, env }, report) {
  const reporters = ["--reporter=default", "--reporter=json", `--reporter=${root}/scripts/failures-reporter.mjs`];
  return {
    ...{ node, env },
    args: ["node_modules/vitest/vitest.mjs", "run", ...reporters, `--outputFile.json=${report}`, ...args],
  };
}

const failuresFile = `${results}/failures.json`;

function readFailures() {
  return existsSync(failuresFile) ? JSON.parse(readFileSync(failuresFile, "utf8")) : [];
}

async function run(title, command, report, read) {
  console.log(`\n${title}`);
  for (const file of [report, failuresFile]) rmSync(file, { force: true });
  const start = performance.now();
  const { status, output } = await runCommand(command, { ...command.env, LETHE_FAILURES: failuresFile });
  const seconds = Math.round((performance.now() - start) / 1_000);
  durations.push(`${String(seconds).padStart(5)} s  ${title}${command.isInBackground ? " (in the background)" : ""}`);
  const counts = existsSync(report) ? read(JSON.parse(readFileSync(report, "utf8"))) : { passed: 0, failed: 1 };
  if (status !== 0 && counts.failed === 0) counts.failed = 1;
  return { ...counts, output };
}

function add({ passed, failed: failures }) {
  total.passed += passed;
  total.failed += failures;
}
