// npm run fuzz: runs every target in turn, prints a table, and resolves with the exit code.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FuzzOptions, parseOptions, usage } from "./options.ts";
import { type FoundFailure, runTarget, type TargetOutcome } from "./run/run-target.ts";
import { toTable } from "./run/table.ts";
import { targets } from "./targets.ts";

/** The folder of the bundle, fuzz/dist/. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const results = join(root, "results/fuzz/");

/** 0: no failure. 1: at least one failure. 2: invalid command line. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  if (args[0] === "hostile-upstreams") {
    const { measureHostileUpstreams } = await import("./hostile-upstreams.ts");
    return measureHostileUpstreams(args.slice(1), root);
  }
  let options: FuzzOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  return runAll(options);
}

async function runAll({ ms, seed, targets: wanted, round, json, report }: FuzzOptions): Promise<number> {
  const chosen = targets.filter(({ name }) => wanted.length === 0 || wanted.some((begin) => name.startsWith(begin)));
  if (chosen.length === 0) {
    console.error(`--target must be one of: ${targets.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  mkdirSync(results, { recursive: true });
  const whole = chosen.reduce((sum, { weight = 1 }) => sum + weight, 0);
  const outcomes: TargetOutcome[] = [];
  for (const { name, weight = 1 } of chosen) {
    const share = (ms * weight) / whole;
    if (!json) console.error(`${name}: ${(share / 1_000).toFixed(1)} s …`);
    const outcome = await runTarget(name, { seed, ms: share, round, traceFile: join(results, `${name}.trace`) });
    outcomes.push(outcome);
    for (const failure of outcome.failures) tellFailure(name, seed, failure);
  }
  const failed = outcomes.filter(({ failures }) => failures.length > 0).length;
  const passed = outcomes.length - failed;
  if (report !== undefined) writeFileSync(report, JSON.stringify({ passed, failed }));
  console.log(json ? JSON.stringify({ seed, outcomes }, undefined, 1) : `\nseed ${seed}\n\n${toTable(outcomes)}`);
  return failed === 0 ? 0 : 1;
}

function tellFailure(target: string, seed: string, failure: FoundFailure): void {
  const file = join(results, `${target}-${failure.round}-${failure.kind}.txt`);
  const again = `npm run fuzz -- --target ${target} --seed ${seed} --round ${failure.round}`;
  writeFileSync(file, `${failure.kind}: ${failure.detail}\nagain: ${again}\ninput:\n${failure.input ?? ""}\n`);
  console.error(`${target}: ${failure.kind}: ${failure.detail.slice(0, 500)}\n  input in ${file}\n  again: ${again}`);
}
