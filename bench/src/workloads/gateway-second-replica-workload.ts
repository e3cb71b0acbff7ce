// Measures what a second replica on a second core adds to one gateway, with each call at the owner of its session, in round robin, and never at the owner.
import { loadColumns } from "../measure/load-sample.ts";
import { measureNewPairs } from "./measure-new-pairs.ts";
import type { ReplicaPair } from "./replica-pair.ts";
import { connections } from "./shared-gateway.ts";
import type { Workload } from "./workload.ts";

const single: ReplicaPair = { name: "one gateway", sharing: "none", forwarded: 0, isSingle: true };
const separate: ReplicaPair = { name: "two that share nothing", sharing: "none", forwarded: 0, ownsHalf: true };
const atOwner: ReplicaPair = { name: "two, at the owner", sharing: "direct", forwarded: 0, ownsHalf: true };
const inTurn: ReplicaPair = { name: "two, round robin", sharing: "direct", forwarded: 0.5, ownsHalf: true };
const never: ReplicaPair = { name: "two, never at the owner", sharing: "direct", forwarded: 1, ownsHalf: true };
const kinds = [single, separate, atOwner, inTurn, never];

/** Needs redis-server, and two cores for the ratios to mean anything. */
export const gatewaySecondReplicaWorkload: Workload = {
  id: "gateway-second-replica-http",
  isMain: false,
  async run(plan) {
    return {
      id: "gateway-second-replica-http",
      title: `tools/call at one gateway and at two replicas, a server over HTTP with a session for each caller, ${connections} connections`,
      columns: loadColumns,
      rows: await measureNewPairs(plan, kinds),
      floor: single.name,
      notes: [
        "Each replica owns the sessions of half of the callers. Forwarded calls use direct connections.",
        "The load and the server run on the same cores as the gateways. CPU ms is that of all gateways of a row, without Redis.",
      ],
    };
  },
};
