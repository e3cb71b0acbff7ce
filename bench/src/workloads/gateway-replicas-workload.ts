// Measures what a call costs at two replicas of a gateway: their CPU time together, for calls at the owner of their session, calls that are forwarded
// to it through Redis or over a direct connection, and calls that reach both replicas in turn.
import { loadColumns } from "../measure/load-sample.ts";
import { medianOf, medianRatio } from "../measure/statistics.ts";
import { type ReplicaPair, startReplicaPair, type Upstream } from "./replica-pair.ts";
import { connections } from "./shared-gateway.ts";
import { takeTurns, type Workload } from "./workload.ts";

const local: ReplicaPair = { name: "at the owner", sharing: "direct", forwarded: 0 };
const byRedis: ReplicaPair = { name: "through Redis", sharing: "redis", forwarded: 1 };
const direct: ReplicaPair = { name: "direct connection", sharing: "direct", forwarded: 1 };
const inTurn: ReplicaPair = { name: "round robin", sharing: "direct", forwarded: 0.5 };

const titles: Readonly<Record<Upstream, string>> = {
  http: "a server over HTTP with a session for each caller",
  stdio: "a server on stdio with a process for each caller",
};

/** Needs redis-server. */
export function gatewayReplicasWorkload(upstream: Upstream): Workload {
  const id = `gateway-replicas-${upstream}`;
  return {
    id,
    isMain: false,
    async run(plan) {
      const pairs = [local, byRedis, direct, inTurn];
      const rows = await takeTurns(plan, pairs, (pair) => startReplicaPair(pair, upstream, plan));
      const [atOwner = [], throughRedis = [], overLink = []] = rows.map(({ samples }) => samples);
      const ratioOf = (samples: typeof atOwner) => medianRatio(samples, atOwner, "cpu")?.toFixed(2) ?? "unknown";
      const redisOf = (samples: typeof atOwner) => (1_000 * (medianOf(samples, "redis") ?? 0)).toFixed(0);
      return {
        id,
        title: `two replicas of lethe gateway, tools/call at ${titles[upstream]}, ${connections} connections`,
        columns: loadColumns,
        rows,
        floor: local.name,
        notes: [
          "CPU ms is that of both replicas together, without Redis and upstreams. Round robin uses direct connections.",
          `CPU of a call at the owner : through Redis : over a direct connection is 1 : ${ratioOf(throughRedis)} : ${ratioOf(overLink)}.`,
          `Redis used ${redisOf(throughRedis)} µs of CPU per call through it, and ${redisOf(overLink)} µs beside direct connections.`,
        ],
      };
    },
  };
}
