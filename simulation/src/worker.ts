// A thread that runs schedules: those that its main thread asks for, one after another.
import { parentPort } from "node:worker_threads";
import { runSchedule } from "./schedule/run-schedule.ts";
import { replaceGlobals } from "./world/globals.ts";

export interface WorkerTask {
  readonly from: number;
  readonly count: number;
}

export interface WorkerReport {
  readonly from: number;
  readonly count: number;
  readonly begun: number;
  /** How many requests direct connections carried, and in how many schedules. */
  readonly direct: { readonly requests: number; readonly schedules: number };
  readonly events: number;
  readonly found: readonly { readonly schedule: number; readonly violations: readonly string[] }[];
}

const { setRandom } = replaceGlobals();
// Errors are frequent in outages, and their stack traces are never read. The history of one schedule keeps the traces.
Error.stackTraceLimit = 0;

async function run({ from, count }: WorkerTask): Promise<WorkerReport> {
  const found: { schedule: number; violations: readonly string[] }[] = [];
  let [begun, events] = [0, 0];
  const direct = { requests: 0, schedules: 0 };
  for (let schedule = from; schedule < from + count; schedule += 1) {
    const outcome = await runSchedule(schedule, { setRandom });
    begun += outcome.begun;
    events += outcome.events;
    direct.requests += outcome.forwardedDirectly;
    if (outcome.forwardedDirectly > 0) direct.schedules += 1;
    if (outcome.violations.length > 0) found.push({ schedule, violations: outcome.violations });
  }
  return { from, count, begun, direct, events, found };
}

parentPort?.on("message", (task: WorkerTask) => {
  void run(task).then((report) => parentPort?.postMessage(report));
});
