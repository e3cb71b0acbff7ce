// Measures what sharing sessions costs a call that arrives at the owner of its session, against a gateway that shares nothing.
import { loadColumns } from "../measure/load-sample.ts";
import { measureNewPairs } from "./measure-new-pairs.ts";
import type { ReplicaPair } from "./replica-pair.ts";
import { connections } from "./shared-gateway.ts";
import type { Workload } from "./workload.ts";

const alone: ReplicaPair = { name: "shares nothing", sharing: "none", forwarded: 0 };
/** The same programs again: what they differ by is the error of the measurement. */
const control: ReplicaPair = { ...alone, name: "shares nothing, again" };
const redis: ReplicaPair = { name: "owner, Redis", sharing: "redis", forwarded: 0 };
const direct: ReplicaPair = { name: "owner, direct", sharing: "direct", forwarded: 0 };
/** As behind a load balancer that hashes on the affinity hint. */
const hinted: ReplicaPair = { ...direct, name: "owner, direct, hint returned", returnsHints: true };
const kinds = [alone, control, redis, direct, hinted];

/** Needs redis-server. */
export const gatewayOwnerWorkload: Workload = {
  id: "gateway-owner-http",
  isMain: false,
  async run(plan) {
    return {
      id: "gateway-owner-http",
      title: `tools/call at the owner of its session, a server over HTTP with a session for each caller, ${connections} connections`,
      columns: loadColumns,
      rows: await measureNewPairs(plan, kinds),
      floor: alone.name,
      notes: [
        "Each round starts a new pair of gateways for each row, and the calls reach one of each pair.",
        "CPU ms is that of both gateways of a pair together, without Redis and upstreams.",
      ],
    };
  },
};
