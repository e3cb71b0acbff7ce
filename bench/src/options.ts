// The flags of npm run bench.
import { parseArgs } from "node:util";
import { type Contender, contenders, floorName } from "./contenders.ts";
import type { Workload } from "./workloads/workload.ts";
import { workloads } from "./workloads.ts";

export interface Options {
  contenders: readonly Contender[];
  workloads: readonly Workload[];
  rounds: number;
  seconds: number;
  /** The file for the raw samples. */
  json?: string;
  help: boolean;
}

export const usage = `npm run bench -- [flags]

  --only NAME,...       measure these contenders only; "${floorName}" is always among them
                        (${contenders.map(({ name }) => name).join(", ")})
  --workloads ID,...    run these only; "call" means every call-...
                        (${workloads.map(({ id }) => id).join(", ")})
  --rounds N            rounds, interleaved over the contenders (5; with --quick 2)
  --seconds S           length of each measurement (0.8; with --quick 0.4)
  --quick               the main contenders and workloads only, in under a minute
  --json FILE           also write the samples of every round to FILE
  --help                this text
`;

/** Throws an Error that names the flag and the expected value. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      workloads: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  const { only, quick } = values;
  return {
    contenders: only === undefined ? contenders.filter(({ isVariant }) => !quick || !isVariant) : pickContenders(only),
    workloads:
      values.workloads === undefined
        ? workloads.filter(({ isMain }) => !quick || isMain)
        : pick("--workloads", values.workloads, workloads, ({ id }, name) => id === name || id.startsWith(`${name}-`)),
    rounds: parsePositive("--rounds", values.rounds ?? (quick ? "2" : "5"), Number.isInteger),
    seconds: parsePositive("--seconds", values.seconds ?? (quick ? "0.4" : "0.8"), Number.isFinite),
    ...(values.json === undefined ? {} : { json: values.json }),
    help: values.help,
  };
}

function pickContenders(only: string): Contender[] {
  return pick("--only", `${floorName},${only}`, contenders, (contender, name) => contender.name === name);
}

function pick<T>(flag: string, list: string, all: readonly T[], isMeant: (candidate: T, name: string) => boolean): T[] {
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !all.some((candidate) => isMeant(candidate, name)));
  if (unknown !== undefined) throw new Error(`${flag}: unknown name "${unknown}" (see --help)`);
  return all.filter((candidate) => names.some((name) => isMeant(candidate, name)));
}

function parsePositive(flag: string, text: string, isAllowed: (value: number) => boolean): number {
  const value = Number(text);
  if (!(value > 0) || !isAllowed(value)) throw new Error(`${flag}: expected a positive number, got "${text}"`);
  return value;
}
