// Reads what the suite wrote about the scenarios of a leg, and compares it with exceptions.json.
import { readdirSync, readFileSync } from "node:fs";

const exceptions = JSON.parse(readFileSync(new URL("exceptions.json", import.meta.url), "utf8"));

/** Returns the scenarios below `output` by name: `{ name, folder, checks }`. */
export function readScenarios(output) {
  const folders = readdirSync(output, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name === "checks.json",
  );
  return folders
    .map(({ parentPath }) => {
      const folder = parentPath.slice(output.length + 1);
      const name = folder.replace(/^(server|client)-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, "");
      return { name, folder: parentPath, checks: JSON.parse(readFileSync(`${parentPath}/checks.json`, "utf8")) };
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

export function isBroken({ status }) {
  return status === "FAILURE" || status === "WARNING";
}

/**
 * Judges the scenarios of a leg. A scenario passes if no check is broken and at least one succeeded. Broken and skipped checks, and scenarios
 * in which no check succeeded, need an exception. An exception that nothing meets is stale.
 */
export function judge(leg, scenarios) {
  const excused = exceptions.filter(({ legs }) => legs.includes(leg)).map((entry) => ({ ...entry, isMet: false }));
  const isExcused = (scenario, { id, status }) => {
    const met = excused.filter((entry) => entry.check === `${scenario}:${id}` && entry.status === status);
    for (const entry of met) entry.isMet = true;
    return met.length > 0;
  };
  const unexpected = scenarios
    .map(({ name, checks }) => ({ name, checks: withReasonNeeded(checks).filter((check) => !isExcused(name, check)) }))
    .filter(({ checks }) => checks.length > 0);
  return {
    leg,
    scenarios: scenarios.length,
    passed: scenarios.filter(({ checks }) => !checks.some(isBroken) && checks.some(isPassed)).length,
    notRun: scenarios.filter(({ checks }) => !checks.some(isBroken) && !checks.some(isPassed)).length,
    checks: scenarios.flatMap(({ checks }) => checks).filter(isPassed).length,
    unexpected,
    excused: excused.filter(({ isMet }) => isMet),
    stale: excused.filter(({ isMet }) => !isMet),
  };
}

/** A scenario that checked nothing must not look like one that passed. */
function withReasonNeeded(checks) {
  const needed = checks.filter((check) => isBroken(check) || isSkipped(check));
  if (needed.length > 0 || checks.some(isPassed)) return needed;
  return [{ id: "none", status: "INFO", description: "the scenario checked nothing" }];
}

function isPassed({ status }) {
  return status === "SUCCESS";
}

function isSkipped({ status }) {
  return status === "SKIPPED";
}
