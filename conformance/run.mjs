// Runs the official conformance suite against the fixtures, leg by leg, and prints one table.
//   node conformance/run.mjs [--leg server-2026-07-28] [--report FILE] [--update] [--verbose]
// One server process, at one URL, serves the server legs of all revisions (D.4).
// The gateway legs repeat the server legs through a gateway: once before the same fixture, and once before a fixture that
// speaks only 2025-11-25 and keeps sessions.
// A leg runs the requirements of one revision, or all scenarios of the suite (`--suite all`), which include those of skills and of
// authorization by 2025-03-26.
// Warnings count as failures. A check that fails or is skipped, and a scenario that checks nothing, fails the run unless exceptions.json has
// a reason. So does an exception that nothing meets, and a docs/conformance.md that says something else; --update writes it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareDocument } from "./document.mjs";
import { installSuite, suiteMain, suiteNode } from "./install-suite.mjs";
import { runOwnScenario } from "./own-task-notifications.mjs";
import { isBroken, judge, readScenarios } from "./results.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const serverFixture = join(here, "dist/server.js");
const clientFixture = join(here, "dist/client.js");
const lethe = join(here, "../packages/cli/bin/lethe.js");

const legs = [
  { side: "server", revision: "2026-07-28" },
  { side: "server", revision: "2025-11-25" },
  { side: "server", revision: "all" },
  { side: "gateway", revision: "2026-07-28" },
  { side: "gateway", revision: "2025-11-25" },
  { side: "gateway", revision: "all" },
  { side: "gateway", revision: "2026-07-28", era: "legacy" },
  { side: "gateway", revision: "2025-11-25", era: "legacy" },
  { side: "gateway", revision: "all", era: "legacy" },
  { side: "client", revision: "2026-07-28" },
  { side: "client", revision: "2025-11-25" },
  { side: "client", revision: "all" },
].map((leg) => ({ ...leg, name: [leg.side, leg.revision, leg.era].filter(Boolean).join("-") }));
const legWidth = Math.max(...legs.map(({ name }) => name.length));

const { values: options } = parseArgs({
  options: {
    leg: { type: "string" },
    report: { type: "string" },
    update: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const chosen = legs.filter(({ name }) => options.leg === undefined || options.leg === name);
if (chosen.length === 0) {
  console.error(`--leg must be one of: ${legs.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

installSuite();
const runners = { server: runServerLeg, gateway: runGatewayLeg, client: runClientLeg };
const total = { passed: 0, failed: 0 };
const server = chosen.some(({ side }) => side === "server") ? startFixture() : undefined;
const serverUrl = server && readUrl(server);
// Server legs run in parallel, because they mostly wait. Client legs start dozens of processes, so they run one by one.
const outcomes = new Map(
  await Promise.all(chosen.filter(({ side }) => side !== "client").map(runLeg)).finally(() => server?.kill()),
);
const verdicts = [];
for (const leg of chosen) {
  const [, scenarios] = outcomes.has(leg.name) ? [leg.name, outcomes.get(leg.name)] : await runLeg(leg);
  verdicts.push(report(judge(leg.name, scenarios)));
}
if (chosen.length === legs.length && !compareDocument(verdicts, { isUpdate: options.update })) {
  console.log("FAILED docs/conformance.md: has other results; run npm run conformance -- --update");
  total.failed += 1;
}
if (options.report) writeFileSync(options.report, JSON.stringify(total));
process.exit(total.failed === 0 ? 0 : 1);

async function runLeg(leg) {
  const output = mkdtempSync(join(tmpdir(), "lethe-conformance-"));
  try {
    await runners[leg.side](leg, output);
    return [leg.name, readScenarios(output)];
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function runServerLeg({ revision }, output) {
  await runServerSuite(await serverUrl, revision, output);
}

/** Tests the server at its own endpoint of the gateway, with its own names. */
async function runGatewayLeg({ revision, era }, output) {
  await using(startFixture(...(era ? ["--era", era] : [])), (url) =>
    using(startGateway(url, output), (gatewayUrl) => runServerSuite(`${gatewayUrl}/fixture`, revision, output)),
  );
}

function startFixture(...args) {
  return start([serverFixture, "--port", "0", ...args], "inherit");
}

function startGateway(url, folder) {
  const config = join(folder, "servers.json");
  const mcpServers = { fixture: { type: "http", url } };
  // The gateway creates tasks if the fixture has none for modern callers.
  const gateway = { tasks: { afterMs: 100 }, upstreams: { fixture: { tasks: "auto" } } };
  writeFileSync(config, JSON.stringify({ mcpServers, gateway }));
  return start([lethe, "gateway", "--config", config, "--port", "0"], options.verbose ? "inherit" : "ignore");
}

function start(args, stderr) {
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", stderr] });
}

/** Passes the first URL that the process prints to `use`, then ends the process. */
async function using(child, use) {
  try {
    await use(await readUrl(child));
  } finally {
    child.kill();
  }
}

async function runServerSuite(url, revision, output) {
  await runSuite(["server", "--url", url, ...setOf(revision), "-o", output]);
  if (revision !== "2025-11-25") await runOwnScenario(url, output);
}

/** The scenarios of a revision, or all. */
function setOf(revision) {
  return revision === "all" ? ["--suite", "all"] : ["--requirements", revision];
}

/** Starts all scenarios at once and repeats failed ones alone, because a small machine may be overloaded. */
async function runClientLeg({ revision }, output) {
  const command = `"${process.execPath}" "${clientFixture}"`;
  const run = (...args) => runSuite(["client", "--command", command, ...args, "--timeout", "60000", "-o", output]);
  await run(...setOf(revision));
  for (const { name, folder, checks } of readScenarios(output)) {
    if (!checks.some(isBroken)) continue;
    rmSync(folder, { recursive: true });
    await run("--scenario", name, ...(revision === "all" ? [] : ["--spec-version", revision]));
  }
}

/** Ignores the exit code of the suite, because that covers only scored scenarios. */
function runSuite(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(suiteNode, [suiteMain, ...args], {
      stdio: ["ignore", options.verbose ? 2 : "ignore", "ignore"],
    });
    child.on("error", reject).on("exit", resolve);
  });
}

async function readUrl({ stdout, spawnargs }) {
  for await (const line of createInterface({ input: stdout })) {
    const url = line.match(/https?:\/\/\S+/)?.[0];
    if (url) return url;
  }
  throw new Error(`${spawnargs[1]} ended before it printed where it listens`);
}

function report(verdict) {
  const { leg, scenarios, passed, notRun, checks, unexpected, excused, stale } = verdict;
  total.passed += passed;
  total.failed += unexpected.length + stale.length + (scenarios === 0 ? 1 : 0);
  console.log(
    `${leg.padEnd(legWidth)} ${passed} of ${scenarios} scenarios pass (${checks} checks), ${notRun} not run, ` +
      `${excused.length} exceptions, ${unexpected.length + stale.length} unexpected`,
  );
  for (const { check, status, reason } of excused) console.log(`  except ${check} (${status}): ${reason}`);
  for (const { name, checks } of unexpected) {
    console.log(`  FAILED ${name}`);
    for (const check of checks)
      console.log(`    ${check.status} ${check.id}: ${check.errorMessage ?? check.description}`);
  }
  for (const { check } of stale) console.log(`  STALE ${check} is met by no check: take ${leg} out of exceptions.json`);
  return verdict;
}
