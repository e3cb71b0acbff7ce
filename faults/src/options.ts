// The command line of the fault runs.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Balancer } from "./fleet/fleet.ts";

export interface FaultOptions {
  readonly command: "table" | "history" | "idle";
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
  /** The sessions of an idle run. */
  readonly sessions: number;
  /** How long an idle run measures them. */
  readonly idleSeconds: number;
  /** How many callers of the killed replica call again in each second of an idle run. */
  readonly rate: number;
  /** The file to which the run writes `{ passed, failed }`. */
  readonly report: string | undefined;
}

export const usage = `npm run faults -- table [--only NAME]... [--before CLONE] [--balancer NAME] [--repeat N] [--out FOLDER] [--report FILE]
npm run faults -- history [--minutes N] [--seed N] [--before CLONE] [--out FOLDER] [--report FILE]
npm run faults -- idle [--sessions N] [--idle-seconds N] [--rate N] [--before CLONE] [--out FOLDER] [--report FILE]

  table           runs each fault against a fresh fleet, and prints what callers saw
  history         runs random faults, and checks the recorded history
  idle            measures idle sessions at three replicas, and their recovery after one is killed

  --only NAME     only this fault; may be given again
  --balancer NAME nginx (default) or haproxy, in front of the replicas of a table
  --before CLONE  tests the gateway of another, built clone
  --repeat N      runs each fault N times; default 1
  --minutes N     the length of the history; default 10
  --seed N        repeats the schedule of an earlier history; default: a new one, which is printed
  --sessions N    idle sessions, each of another caller; default 3000
  --idle-seconds N  how long idle sessions are measured; default 60
  --rate N        callers of the killed replica that call again in each second; default 50
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
      sessions: { type: "string", default: "3000" },
      "idle-seconds": { type: "string", default: "60" },
      rate: { type: "string", default: "50" },
      out: { type: "string" },
      report: { type: "string" },
    },
  });
  const [command] = positionals;
  if (command !== "table" && command !== "history" && command !== "idle")
    throw new Error("expected table, history or idle");
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
    sessions: toNumber("--sessions", values.sessions),
    idleSeconds: toNumber("--idle-seconds", values["idle-seconds"]),
    rate: toNumber("--rate", values.rate),
    report: values.report,
  };
}

function toNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${flag} must be a number above 0, got ${text}`);
  return value;
}
