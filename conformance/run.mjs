// Runs the official conformance suite against the fixtures, leg by leg, and prints one table.
//   node conformance/run.mjs [--leg server-2026-07-28] [--report FILE] [--verbose]
// One server process, at one URL, serves the server legs of all revisions (D.4).
// The gateway legs repeat the server legs through a gateway: once before the same fixture, and once before a fixture that
// speaks only 2025-11-25 and keeps sessions.
// No requirements name the scenarios of the skills extension, so that they run one by one.
// A scenario fails if one of its checks fails, or if all are skipped. Warnings count as failures. known-failures.json names scenarios that are not
// supported yet, with the reason, and gateway-exceptions.json those that no gateway can pass, as "scenario" or
// "scenario:check". An entry that passes fails the run.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installSuite, suiteMain, suiteNode } from "./install-suite.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const serverFixture = join(here, "dist/server.js");
const clientFixture = join(here, "dist/client.js");
const lethe = join(here, "../packages/cli/bin/lethe.js");

const legs = [
  { side: "server", revision: "2026-07-28" },
  { side: "server", revision: "2025-11-25" },
  { side: "gateway", revision: "2026-07-28" },
  { side: "gateway", revision: "2025-11-25" },
  { side: "gateway", revision: "2026-07-28", era: "legacy" },
  { side: "gateway", revision: "2025-11-25", era: "legacy" },
  { side: "client", revision: "2026-07-28" },
  { side: "client", revision: "2025-11-25" },
].map((leg) => ({ ...leg, name: [leg.side, leg.revision, leg.era].filter(Boolean).join("-") }));
const legWidth = Math.max(...legs.map(({ name }) => name.length));

const { values: options } = parseArgs({
  options: { leg: { type: "string" }, report: { type: "string" }, verbose: { type: "boolean", default: false } },
});
const chosen = legs.filter(({ name }) => options.leg === undefined || options.leg === name);
if (chosen.length === 0) {
  console.error(`--leg must be one of: ${legs.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

/** The suite has them for the revision that the extension is specified for. */
const skillScenarios = {
  server: {
    "2026-07-28": ["enumeration", "manifest", "directory"].map((name) => `sep-2640-skills-${name}`),
    "2025-11-25": [],
  },
  client: {
    "2026-07-28": ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"].map(
      (name) => `sep-2640-client-${name}`,
    ),
    "2025-11-25": [],
  },
};

installSuite();
const runners = { server: runServerLeg, gateway: runGatewayLeg, client: runClientLeg };
const [known, exceptions] = ["known-failures.json", "gateway-exceptions.json"].map(readReasons);
const total = { passed: 0, failed: 0 };
const server = chosen.some(({ side }) => side === "server") ? startFixture() : undefined;
const serverUrl = server && readUrl(server);
// Server legs run in parallel, because they mostly wait. Client legs start dozens of processes, so they run one by one.
const outcomes = new Map(
  await Promise.all(chosen.filter(({ side }) => side !== "client").map(runLeg)).finally(() => server?.kill()),
);
for (const leg of chosen) {
  const [, scenarios] = outcomes.has(leg.name) ? [leg.name, outcomes.get(leg.name)] : await runLeg(leg);
  report(leg, scenarios);
}
if (options.report) writeFileSync(options.report, JSON.stringify(total));
process.exit(total.failed === 0 ? 0 : 1);

function readReasons(file) {
  const byLeg = JSON.parse(readFileSync(join(here, file), "utf8"));
  return { file, of: (leg) => byLeg[leg] ?? {} };
}

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
  const run = (...args) => runSuite(["server", "--url", url, ...args, "-o", output]);
  await run("--requirements", revision);
  for (const name of skillScenarios.server[revision]) await run("--scenario", name);
}

/** Starts all scenarios at once and repeats failed ones alone, because a small machine may be overloaded. */
async function runClientLeg({ revision }, output) {
  const command = `"${process.execPath}" "${clientFixture}"`;
  const run = (...args) => runSuite(["client", "--command", command, ...args, "--timeout", "60000", "-o", output]);
  await run("--requirements", revision);
  for (const name of skillScenarios.client[revision]) await run("--scenario", name);
  for (const { name, folder, checks } of readScenarios(output)) {
    if (!checks.some(isBroken)) continue;
    rmSync(folder, { recursive: true });
    await run("--scenario", name, "--spec-version", revision);
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

function readScenarios(output) {
  const folders = readdirSync(output, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name === "checks.json",
  );
  return folders
    .map(({ parentPath }) => {
      const folder = parentPath.slice(output.length + 1);
      const name = folder.replace(/^(server|client)-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
      const checks = JSON.parse(readFileSync(join(parentPath, "checks.json"), "utf8"));
      return { name, folder: parentPath, checks: checks.every(isSkipped) ? [toSkipped(checks)] : checks };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

function report({ name: leg }, scenarios) {
  const reasons = [known, exceptions].flatMap(({ file, of }) =>
    Object.entries(of(leg)).map(([place, reason]) => ({ file, place, reason, isMet: false })),
  );
  const isExpected = (scenario, check) => {
    const met = reasons.filter(({ place }) => place === scenario || place === `${scenario}:${check}`);
    for (const reason of met) reason.isMet = true;
    return met.length > 0;
  };
  const broken = scenarios
    .map(({ name, checks }) => ({ name, checks: checks.filter(isBroken) }))
    .filter(({ checks }) => checks.length > 0)
    .map(({ name, checks }) => ({ name, checks: checks.filter(({ id }) => !isExpected(name, id)) }));
  const unexpected = broken.filter(({ checks }) => checks.length > 0);
  const stale = reasons.filter(({ isMet }) => !isMet);
  const passed = scenarios.length - broken.length;
  const checks = scenarios.flatMap(({ checks }) => checks).filter(({ status }) => status === "SUCCESS").length;
  total.passed += passed;
  total.failed += unexpected.length + stale.length + (scenarios.length === 0 ? 1 : 0);
  console.log(
    `${leg.padEnd(legWidth)} ${passed} of ${scenarios.length} scenarios pass (${checks} checks), ` +
      `${broken.length - unexpected.length} known failures, ${unexpected.length + stale.length} unexpected`,
  );
  for (const { place, reason, isMet } of reasons) if (isMet) console.log(`  except ${place}: ${reason}`);
  for (const { name, checks } of unexpected) {
    console.log(`  FAILED ${name}`);
    for (const check of checks)
      console.log(`    ${check.status} ${check.id}: ${check.errorMessage ?? check.description}`);
  }
  for (const { place, file } of stale) console.log(`  STALE ${place} passes now: take it out of ${file}`);
}

function isBroken({ status }) {
  return status === "FAILURE" || status === "WARNING" || status === "NOTHING CHECKED";
}

function isSkipped({ status }) {
  return status === "SKIPPED";
}

/** A scenario that checked nothing must not look like one that passed. */
function toSkipped([first]) {
  const description = first?.errorMessage ?? first?.description ?? "the scenario has no checks";
  return { id: first?.id ?? "none", status: "NOTHING CHECKED", description };
}
