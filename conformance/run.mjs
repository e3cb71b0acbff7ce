// Runs the official conformance suite against the fixtures, leg by leg, and prints one table.
//   node conformance/run.mjs [--leg server-2026-07-28] [--report FILE] [--verbose]
// One server process, at one URL, serves the server legs of all revisions (D.4).
// A scenario fails when one of its checks does; warnings count as failures too, because ours has none. A scenario that is
// not built yet is named in known-failures.json with the reason, and fails the run as soon as it passes.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));
const suite = join(here, "suite");
const suiteNode = join(suite, "node_modules/.bin/node");
const suiteMain = join(suite, "node_modules/.bin/conformance");
const serverFixture = join(here, "dist/server.js");
const clientFixture = join(here, "dist/client.js");

const legs = [
  { side: "server", revision: "2026-07-28" },
  { side: "server", revision: "2025-11-25" },
  { side: "client", revision: "2026-07-28" },
  { side: "client", revision: "2025-11-25" },
].map((leg) => ({ ...leg, name: `${leg.side}-${leg.revision}` }));

const { values: options } = parseArgs({
  options: { leg: { type: "string" }, report: { type: "string" }, verbose: { type: "boolean", default: false } },
});
const chosen = legs.filter(({ name }) => options.leg === undefined || options.leg === name);
if (chosen.length === 0) {
  console.error(`--leg must be one of: ${legs.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

installSuite();
const known = JSON.parse(readFileSync(join(here, "known-failures.json"), "utf8"));
const total = { passed: 0, failed: 0 };
const server = chosen.some(({ side }) => side === "server") ? await startServer() : undefined;
try {
  for (const leg of chosen) {
    const reasons = known[leg.name] ?? {};
    if (reasons["*"]) console.log(`${leg.name.padEnd(20)} not run: ${reasons["*"]}`);
    else await runLeg(leg, reasons);
  }
} finally {
  server?.child.kill();
}
if (options.report) writeFileSync(options.report, JSON.stringify(total));
process.exit(total.failed === 0 ? 0 : 1);

function installSuite() {
  const installed = join(suite, "node_modules/.package-lock.json");
  if (existsSync(installed) && existsSync(suiteNode)) return;
  console.error("Installing the conformance suite and the Node that it needs …");
  const { status } = spawnSync("npm", ["ci", "--engine-strict=false", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: suite,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function runLeg(leg, reasons) {
  const output = mkdtempSync(join(tmpdir(), "lethe-conformance-"));
  try {
    await (leg.side === "server" ? runServerLeg : runClientLeg)(leg, output);
    report(leg, readScenarios(output), reasons);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function startServer() {
  const child = spawn(process.execPath, [serverFixture, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  return { child, url: await readUrl(child) };
}

async function runServerLeg({ revision }, output) {
  await runSuite(["server", "--url", server.url, "--requirements", revision, "-o", output]);
}

async function runClientLeg({ revision }, output) {
  const command = `"${process.execPath}" "${clientFixture}"`;
  await runSuite(["client", "--command", command, "--requirements", revision, "--timeout", "60000", "-o", output]);
}

/** The suite's own verdict is not asked for: it looks only at scored scenarios. */
function runSuite(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(suiteNode, [suiteMain, ...args], {
      stdio: ["ignore", options.verbose ? 2 : "ignore", "ignore"],
    });
    child.on("error", reject).on("exit", resolve);
  });
}

async function readUrl(fixture) {
  for await (const line of createInterface({ input: fixture.stdout })) {
    const url = line.match(/https?:\/\/\S+/)?.[0];
    if (url) return url;
  }
  throw new Error("the server fixture ended before it printed where it listens");
}

function readScenarios(output) {
  const folders = readdirSync(output, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name === "checks.json",
  );
  return folders
    .map(({ parentPath }) => {
      const folder = parentPath.slice(output.length + 1);
      const name = folder.replace(/^(server|client)-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
      return { name, checks: JSON.parse(readFileSync(join(parentPath, "checks.json"), "utf8")) };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

function report({ name: leg }, scenarios, reasons) {
  const broken = scenarios.filter(({ checks }) =>
    checks.some(({ status }) => status === "FAILURE" || status === "WARNING"),
  );
  const brokenNames = new Set(broken.map(({ name }) => name));
  const unexpected = broken.filter(({ name }) => !reasons[name]);
  const stale = Object.keys(reasons).filter((name) => !brokenNames.has(name));
  const passed = scenarios.length - broken.length;
  const checks = scenarios.flatMap(({ checks }) => checks).filter(({ status }) => status === "SUCCESS").length;
  total.passed += passed - stale.length;
  total.failed += unexpected.length + stale.length + (scenarios.length === 0 ? 1 : 0);
  console.log(
    `${leg.padEnd(20)} ${passed} of ${scenarios.length} scenarios pass (${checks} checks), ` +
      `${broken.length - unexpected.length} known failures, ${unexpected.length + stale.length} unexpected`,
  );
  for (const { name, checks } of unexpected) {
    console.log(`  FAILED ${name}`);
    for (const check of checks.filter(({ status }) => status === "FAILURE" || status === "WARNING")) {
      console.log(`    ${check.status} ${check.id}: ${check.errorMessage ?? check.description}`);
    }
  }
  for (const name of stale) console.log(`  STALE ${name} passes now: take it out of known-failures.json`);
}
