// Measures what sharing sessions costs a call that arrives at the owner of its session, against a gateway that shares nothing.
import { loadColumns } from "../measure/load-sample.ts";
import type { Row } from "../measure/section.ts";
import { connections, type ReplicaPair, startReplicaPair } from "./replica-pair.ts";
import { takeTurns, type Workload } from "./workload.ts";

const alone: ReplicaPair = { name: "shares nothing", sharing: "none", forwarded: 0 };
const redis: ReplicaPair = { name: "owner, Redis", sharing: "redis", forwarded: 0 };
const direct: ReplicaPair = { name: "owner, direct", sharing: "direct", forwarded: 0 };

/** Processes of the same program differ in speed by a tenth, so each row is measured with several. */
const copies = 3;

/** Needs redis-server. */
export const gatewayOwnerWorkload: Workload = {
  id: "gateway-owner-http",
  isMain: false,
  async run(plan) {
    const pairs = Array.from({ length: copies }, () => [alone, redis, direct]).flat();
    const rows = await takeTurns(plan, pairs, (pair) => startReplicaPair(pair, "http", plan));
    return {
      id: "gateway-owner-http",
      title: `tools/call at the owner of its session, a server over HTTP with a session for each caller, ${connections} connections`,
      columns: loadColumns,
      rows: [alone, redis, direct].map(({ name }) => together(name, rows)),
      floor: alone.name,
      notes: [
        `Each row has ${copies} pairs of gateways, and the calls reach one of each pair.`,
        "CPU ms is that of both gateways of a pair together, without Redis and upstreams.",
      ],
    };
  },
};

/** One row of all pairs with this name. */
function together(name: string, rows: readonly Row[]): Row {
  const own = rows.filter(({ contender }) => contender === name);
  const failure = own.find((row) => row.failure !== undefined)?.failure;
  return { contender: name, samples: own.flatMap(({ samples }) => samples), ...(failure ? { failure } : {}) };
}
