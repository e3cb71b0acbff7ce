// The command line of the simulation.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

export const usage = `npm run simulate -- [options]

  --schedules N     how many schedules to run (default 2,000)
  --from K          the number of the first one (default 1)
  --schedule K      run only schedule K
  --trace           print the history of the schedule
  --until-found     stop at the first violation
  --threads N       how many threads run schedules (default: one per core)
  --plant NAME      run the code with a planted bug, which the simulation must find (see planted-bugs.mjs)
  --report FILE     write { passed, failed } as JSON
  --scale           count what a large deployment costs instead; "--scale --help" shows its options`;

export interface SimulateOptions {
  readonly from: number;
  readonly schedules: number;
  readonly threads: number;
  readonly isTraced: boolean;
  readonly untilFound: boolean;
  readonly report: string | undefined;
}

/** Throws an Error that names a wrong option. */
export function parseOptions(args: readonly string[]): SimulateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      schedules: { type: "string", default: "2000" },
      from: { type: "string", default: "1" },
      schedule: { type: "string" },
      trace: { type: "boolean", default: false },
      "until-found": { type: "boolean", default: false },
      threads: { type: "string", default: String(availableParallelism()) },
      plant: { type: "string" },
      report: { type: "string" },
    },
  });
  const only = values.schedule === undefined ? undefined : toCount("schedule", values.schedule);
  if (values.trace && only === undefined) throw new Error("--trace needs --schedule K");
  return {
    from: only ?? toCount("from", values.from),
    schedules: only === undefined ? toCount("schedules", values.schedules) : 1,
    threads: toCount("threads", values.threads),
    isTraced: values.trace,
    untilFound: values["until-found"],
    report: values.report,
  };
}

function toCount(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name}: a whole number of at least 1 expected, got ${text}`);
  return value;
}
