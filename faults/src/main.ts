// npm run faults: reads the command line, runs the table, a history or idle sessions, and resolves with the exit code.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runHistory } from "./history/run-history.ts";
import { runIdle } from "./idle/run-idle.ts";
import { type FaultOptions, parseOptions, usage } from "./options.ts";
import { toHistoryPage } from "./report/history.ts";
import { findIdleProblems, toIdlePage } from "./report/idle.ts";
import { toDetails, toTable } from "./report/table.ts";
import { faults } from "./table/faults.ts";
import { type Row, runRow } from "./table/run-row.ts";

/** The folder of the bundle is faults/dist/. */
const ownClone = fileURLToPath(new URL("../../", import.meta.url));

/** 0: no violation. 1: at least one. 2: invalid command line. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let options: FaultOptions;
  try {
    options = parseOptions(args, ownClone);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  mkdirSync(options.out, { recursive: true });
  if (options.command === "idle") return runIdleSessions(options);
  return options.command === "table" ? runTable(options) : runOneHistory(options);
}

async function runIdleSessions(options: FaultOptions): Promise<number> {
  const { clone, out, sessions, idleSeconds, rate, report: file } = options;
  const plan = { clone, sessions, idleSeconds, perSecond: rate };
  const report = await runIdle(plan, (progress) => console.error(progress));
  const problems = findIdleProblems(report);
  const page = toIdlePage(report, problems);
  const { recovered, ...figures } = report;
  writeFileSync(join(out, `idle-${sessions}.md`), page);
  writeFileSync(join(out, `idle-${sessions}.json`), JSON.stringify(figures, undefined, 1));
  writeFileSync(join(out, `idle-${sessions}.calls.jsonl`), toLines(recovered));
  console.log(page);
  const failed = problems.length > 0 ? 1 : 0;
  if (file !== undefined) writeFileSync(file, JSON.stringify({ passed: 1 - failed, failed }));
  return failed;
}

async function runOneHistory({ clone, out, minutes, seed, report: file }: FaultOptions): Promise<number> {
  console.error(`seed ${seed}`);
  const { calls, runs, ...report } = await runHistory({ clone, seed, ms: minutes * 60_000 });
  const name = join(out, `history-${seed}`);
  const page = toHistoryPage({ ...report, calls, runs });
  writeFileSync(`${name}.md`, page);
  writeFileSync(`${name}.json`, JSON.stringify(report, undefined, 1));
  writeFileSync(`${name}.calls.jsonl`, toLines([...calls, ...runs]));
  console.log(page);
  const failed = report.violations.length > 0 ? 1 : 0;
  if (file !== undefined) writeFileSync(file, JSON.stringify({ passed: 1 - failed, failed }));
  return failed;
}

async function runTable({ only, clone, balancer, out, repeat, report }: FaultOptions): Promise<number> {
  const chosen = faults.filter(({ name }) => only.length === 0 || only.includes(name));
  if (chosen.length === 0) {
    console.error(`--only must be one of: ${faults.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const rows: Row[] = [];
  for (const fault of chosen.flatMap((fault) => Array.from({ length: repeat }, () => fault))) {
    console.error(`${fault.name} …`);
    const { calls = [], ...row } = await runRow(fault, clone, balancer).catch(
      (error: Error): Row => ({ name: fault.name, title: fault.title, skipped: error.message, isBroken: true }),
    );
    rows.push(row);
    writeFileSync(join(out, `calls-${fault.name}.jsonl`), toLines(calls));
    console.error(toTable([row]).split("\n")[2]);
    writeFileSync(join(out, "table.json"), JSON.stringify(rows, undefined, 1));
    writeFileSync(join(out, "table.md"), `${toTable(rows)}\n\n${toDetails(rows)}`);
  }
  console.log(toTable(rows));
  const failed = rows.filter(isFailed).length;
  const passed = rows.filter(({ measures }) => measures).length - failed;
  if (report !== undefined) writeFileSync(report, JSON.stringify({ passed, failed }));
  return failed === 0 ? 0 : 1;
}

function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

function isFailed({ violations = [], isBroken = false }: Row): boolean {
  return violations.length > 0 || isBroken;
}
