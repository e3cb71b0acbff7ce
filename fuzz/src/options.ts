// The command line of the fuzzers.
import { parseArgs } from "node:util";

export interface FuzzOptions {
  /** The time for all targets together. */
  readonly ms: number;
  readonly seed: string;
  /** Names or prefixes of names. Empty: all. */
  readonly targets: readonly string[];
  readonly round: number | undefined;
  readonly json: boolean;
  /** The file to which the run writes `{ passed, failed }`. */
  readonly report: string | undefined;
}

export const usage = `npm run fuzz -- [--minutes N] [--seed S] [--target NAME]... [--round R] [--json]
npm run fuzz -- hostile-upstreams [--seconds N] [--kind KIND]... [--max-p99 MS] [--json]

  --minutes N     how long all targets run together; default 10. --seconds N does the same
  --seed S        repeats the inputs of an earlier run; default: a new one, which is printed
  --target NAME   only this target, or all whose names begin like this; may be given again
  --round R       only this round, to reproduce a failure
  --json          the table as JSON
  --report FILE   writes {"passed", "failed"}, the numbers of targets`;

/** Throws an Error that names the problem. */
export function parseOptions(args: readonly string[]): FuzzOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string" },
      seconds: { type: "string" },
      seed: { type: "string" },
      target: { type: "string", multiple: true, default: [] },
      round: { type: "string" },
      json: { type: "boolean", default: false },
      report: { type: "string" },
    },
  });
  const { minutes, seconds, seed, target, round, json, report } = values;
  if (minutes !== undefined && seconds !== undefined)
    throw new Error("expected either --minutes or --seconds, got both");
  const ms =
    seconds === undefined ? positive("--minutes", minutes ?? "10") * 60_000 : positive("--seconds", seconds) * 1_000;
  if (round !== undefined && seed === undefined) throw new Error("--round needs the --seed of the run that failed");
  if (round !== undefined && !/^\d+$/.test(round)) throw new Error(`--round must be a whole number, got ${round}`);
  return {
    ...{ ms, targets: target, json, report },
    seed: seed ?? String(Math.floor(Math.random() * 1e9)),
    round: round === undefined ? undefined : Number(round),
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || value > 10_000) throw new Error(`${name} must be a number above 0, got ${text}`);
  return value;
}
