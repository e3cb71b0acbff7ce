// Measures pairs of gateways that are started again in each round, because processes of the same program differ in speed by a tenth.
import type { Row } from "../measure/section.ts";
import { type ReplicaPair, startReplicaPair } from "./replica-pair.ts";
import { type Plan, takeTurns } from "./workload.ts";

/** Each round measures every pair this number of times, in turn. */
const turns = 3;

/** The samples of all rounds, in one row for each kind. */
export async function measureNewPairs(plan: Plan, kinds: readonly ReplicaPair[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let round = 0; round < plan.rounds; round += 1) rows.push(...(await measureRound(plan, kinds, round)));
  return kinds.map(({ name }) => together(name, rows));
}

function measureRound(plan: Plan, kinds: readonly ReplicaPair[], round: number): Promise<Row[]> {
  const first = round % kinds.length;
  const progress = (doing: string) => plan.progress(`round ${round + 1} of ${plan.rounds}: ${doing}`);
  const pairs = [...kinds.slice(first), ...kinds.slice(0, first)];
  return takeTurns({ ...plan, rounds: turns, progress }, pairs, (pair) => startReplicaPair(pair, "http", plan));
}

function together(name: string, rows: readonly Row[]): Row {
  const own = rows.filter(({ contender }) => contender === name);
  const failure = own.find((row) => row.failure !== undefined)?.failure;
  return { contender: name, samples: own.flatMap(({ samples }) => samples), ...(failure ? { failure } : {}) };
}
