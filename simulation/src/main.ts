// npm run simulate: runs schedules, prints what broke an invariant, and resolves with the exit code.
import { writeFileSync } from "node:fs";
import { findGap } from "./coverage.ts";
import { parseOptions, type SimulateOptions, usage } from "./options.ts";
import { runInThreads } from "./run-in-threads.ts";
import { runSchedule } from "./schedule/run-schedule.ts";
import type { WorkerReport } from "./worker.ts";
import { replaceGlobals } from "./world/globals.ts";

/** Violations that are printed in full. */
const maxPrinted = 20;
/** Short on a terminal, long in a log file. */
const progressEveryMs = process.stderr.isTTY ? 5_000 : 60_000;

/** 0: every invariant held. 1: at least one violation, or too few schedules reached a part of the code. 2: invalid command line. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let options: SimulateOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const failed = options.isTraced ? await trace(options.from) : await runAll(options);
  if (options.report !== undefined) {
    writeFileSync(options.report, JSON.stringify({ passed: failed === 0 ? 1 : 0, failed: failed === 0 ? 0 : 1 }));
  }
  return failed === 0 ? 0 : 1;
}

/** Prints the history of one schedule. Returns the number of violations. */
async function trace(schedule: number): Promise<number> {
  const { setRandom } = replaceGlobals();
  const { violations } = await runSchedule(schedule, {
    setRandom,
    onLine: (time, line) => console.log(`${time.toFixed(1).padStart(9)}  ${line}`),
  });
  console.log(violations.length === 0 ? "no violation" : violations.join("\n"));
  return violations.length;
}

/** Returns the number of schedules with a violation, or 1 if too few schedules reached a part of the code. */
async function runAll({ from, schedules, threads, untilFound }: SimulateOptions): Promise<number> {
  const startedAt = performance.now();
  let shownAt = startedAt;
  const total = { run: 0, begun: 0, direct: 0, directSchedules: 0, events: 0, failed: 0 };

  function onReport({ count, begun, direct, events, found }: WorkerReport): boolean {
    total.run += count;
    total.begun += begun;
    total.direct += direct.requests;
    total.directSchedules += direct.schedules;
    total.events += events;
    for (const { schedule, violations } of found) {
      total.failed += 1;
      if (total.failed <= maxPrinted) printViolations(schedule, violations);
    }
    const now = performance.now();
    if (now - shownAt >= progressEveryMs) {
      shownAt = now;
      const part = `${total.run} of ${schedules} schedules, ${total.failed} with a violation`;
      console.error(`${part} (${((now - startedAt) / 1_000).toFixed(0)} s)`);
    }
    return !(untilFound && total.failed > 0);
  }

  await runInThreads({ from, schedules, threads, onReport });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const requests = `${total.begun} requests, ${total.direct} of them over direct connections in ${total.directSchedules} schedules`;
  console.log(
    `${total.run} schedules from ${from}: ${total.failed} with a violation; ${requests}; ${total.events} events, ${seconds} s`,
  );
  const gap =
    total.failed === 0 ? findGap({ schedules: total.run, directSchedules: total.directSchedules }) : undefined;
  if (gap === undefined) return total.failed;
  console.log(gap);
  return 1;
}

function printViolations(schedule: number, violations: readonly string[]): void {
  console.log(`schedule ${schedule}: ${violations[0]}`);
  for (const further of violations.slice(1, 3)) console.log(`  ${further}`);
  console.log(`  history: npm run simulate -- --schedule ${schedule} --trace`);
}
