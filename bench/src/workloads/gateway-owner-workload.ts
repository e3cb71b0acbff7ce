// Measures what sharing sessions costs a call that arrives at the owner of its session, against a gateway that shares nothing.
import { loadColumns } from "../measure/load-sample.ts";
import type { Row } from "../measure/section.ts";
import { connections, type ReplicaPair, startReplicaPair } from "./replica-pair.ts";
import { type Plan, takeTurns, type Workload } from "./workload.ts";

const alone: ReplicaPair = { name: "shares nothing", sharing: "none", forwarded: 0 };
/** The same programs again: what they differ by is the error of the measurement. */
const control: ReplicaPair = { ...alone, name: "shares nothing, again" };
const redis: ReplicaPair = { name: "owner, Redis", sharing: "redis", forwarded: 0 };
const direct: ReplicaPair = { name: "owner, direct", sharing: "direct", forwarded: 0 };
/** As behind a load balancer that hashes on the affinity hint. */
const hinted: ReplicaPair = { ...direct, name: "owner, direct, hint returned", returnsHints: true };
const kinds = [alone, control, redis, direct, hinted];

/** Each round measures every pair of gateways this number of times, in turn. */
const turns = 3;

/** Needs redis-server. Processes of the same program differ in speed by a tenth, so each round starts new ones. */
export const gatewayOwnerWorkload: Workload = {
  id: "gateway-owner-http",
  isMain: false,
  async run(plan) {
    const rows: Row[] = [];
    for (let round = 0; round < plan.rounds; round += 1) rows.push(...(await measureNew(plan, round)));
    return {
      id: "gateway-owner-http",
      title: `tools/call at the owner of its session, a server over HTTP with a session for each caller, ${connections} connections`,
      columns: loadColumns,
      rows: kinds.map(({ name }) => together(name, rows)),
      floor: alone.name,
      notes: [
        "Each round starts a new pair of gateways for each row, and the calls reach one of each pair.",
        "CPU ms is that of both gateways of a pair together, without Redis and upstreams.",
      ],
    };
  },
};

function measureNew(plan: Plan, round: number): Promise<Row[]> {
  const first = round % kinds.length;
  const progress = (doing: string) => plan.progress(`round ${round + 1} of ${plan.rounds}: ${doing}`);
  const pairs = [...kinds.slice(first), ...kinds.slice(0, first)];
  return takeTurns({ ...plan, rounds: turns, progress }, pairs, (pair) => startReplicaPair(pair, "http", plan));
}

/** One row of all pairs with this name. */
function together(name: string, rows: readonly Row[]): Row {
  const own = rows.filter(({ contender }) => contender === name);
  const failure = own.find((row) => row.failure !== undefined)?.failure;
  return { contender: name, samples: own.flatMap(({ samples }) => samples), ...(failure ? { failure } : {}) };
}
