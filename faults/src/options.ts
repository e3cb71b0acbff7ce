// The command line of the fault runs.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Balancer } from "./fleet/fleet.ts";

export interface FaultOptions {
  readonly command: "table" | "history";
  /** Names of faults. Empty: all. */
  readonly only: readonly string[];
  /** The folder of the clone whose gateway is tested. */
  readonly clone: string;
  /** The load balancer of the table. Histories use nginx. */
  readonly balancer: Balancer;
  /** The folder for the report. */
  readonly out: string;
  /** Runs of each fault of the table. */
  readonly repeat: number;
  readonly minutes: number;
  readonly seed: number;
  /** The file to which the run writes `{ passed, failed }`. */
  readonly report: string | undefined;
}

export const usage = `npm run faults -- table [--only NAME]... [--before CLONE] [--balancer NAME] [--repeat N] [--out FOLDER] [--report FILE]
npm run faults -- history [--minutes N] [--seed N] [--before CLONE] [--out FOLDER] [--report FILE]

  table           runs each fault against a fresh fleet, and prints what callers saw
  history         runs random faults, and checks the recorded history

  --only NAME     only this fault; may be given again
  --balancer NAME nginx (default) or haproxy, in front of the replicas of a table
  --before CLONE  tests the gateway of another, built clone
  --repeat N      runs each fault N times; default 1
  --minutes N     the length of the history; default 10
  --seed N        repeats the schedule of an earlier history; default: a new one, which is printed
  --out FOLDER    where the report goes; default results/faults
  --report FILE   writes {"passed", "failed"}`;

export function parseOptions(args: readonly string[], ownClone: string): FaultOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string", multiple: true, default: [] },
      before: { type: "string" },
      balancer: { type: "string", default: "nginx" },
      repeat: { type: "string", default: "1" },
      minutes: { type: "string", default: "10" },
      seed: { type: "string" },
      out: { type: "string" },
      report: { type: "string" },
    },
  });
  const [command] = positionals;
  if (command !== "table" && command !== "history") throw new Error("expected table or history");
  if (positionals.length > 1) throw new Error(`unexpected argument ${positionals[1]}`);
  const { balancer } = values;
  if (balancer !== "nginx" && balancer !== "haproxy")
    throw new Error(`--balancer must be nginx or haproxy, got ${balancer}`);
  return {
    command,
    balancer,
    only: values.only,
    clone: resolve(values.before ?? ownClone),
    out: resolve(values.out ?? join(ownClone, "results", "faults")),
    repeat: toNumber("--repeat", values.repeat),
    minutes: toNumber("--minutes", values.minutes),
    seed: values.seed === undefined ? Math.floor(Math.random() * 1e9) : toNumber("--seed", values.seed),
    report: values.report,
  };
}

function toNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} must be a number above 0, got ${text}`);
  return value;
}
