// Starts a real Redis Cluster with three shards, of which each may have a stand-by, on free ports of the loopback address.
import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { type RunningRedis, startRedis } from "./redis-server.ts";
import { connectAdmin, type TestCertificate } from "./redis-tls.ts";
import { isLinked } from "./stand-by.ts";

export interface RunningCluster {
  /** Names all nodes. */
  readonly url: string;
  /** The primaries at the start, in the order of their slots. */
  readonly primaries: readonly RunningRedis[];
  /** Stops the nodes. */
  stop(): Promise<void>;
}

const slots = 16_384;
const shards = 3;

export interface ClusterPlan {
  readonly hasStandbys?: boolean;
  readonly nodeTimeoutMs?: number;
  readonly tls?: TestCertificate | undefined;
}

export async function startCluster(plan: ClusterPlan = {}): Promise<RunningCluster> {
  const { hasStandbys = false, nodeTimeoutMs = 1_000, tls } = plan;
  const encrypted = tls ? ["--tls-cluster", "yes"] : [];
  const flags = ["--cluster-enabled", "yes", "--cluster-node-timeout", String(nodeTimeoutMs), ...encrypted];
  const count = hasStandbys ? 2 * shards : shards;
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startRedis(
        undefined,
        [...flags, "--cluster-config-file", `nodes-${index}.conf`, "--cluster-replica-validity-factor", "0"],
        tls,
      ),
    ),
  );
  const clients = nodes.map(({ port }) => connectAdmin(port, { tls }));
  try {
    await join(clients, nodes);
    await assignSlots(clients);
    await untilAgreed(clients, shards);
    if (hasStandbys) await addStandbys(clients);
  } finally {
    for (const client of clients) client.disconnect();
  }
  return {
    url: `${tls ? "rediss" : "redis"}+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(",")}`,
    primaries: nodes.slice(0, shards),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

async function join(clients: readonly Redis[], nodes: readonly RunningRedis[]): Promise<void> {
  const [first] = clients as [Redis];
  await Promise.all(clients.map((client, index) => client.cluster("SET-CONFIG-EPOCH", index + 1)));
  for (const { port } of nodes.slice(1)) await first.cluster("MEET", "127.0.0.1", port);
}

async function assignSlots(clients: readonly Redis[]): Promise<void> {
  for (const [index, client] of clients.slice(0, shards).entries()) {
    const [from, to] = [Math.ceil((slots * index) / shards), Math.ceil((slots * (index + 1)) / shards) - 1];
    await client.call("CLUSTER", "ADDSLOTSRANGE", from, to);
  }
}

async function addStandbys(clients: readonly Redis[]): Promise<void> {
  for (const [index, client] of clients.slice(shards).entries()) {
    const id = String(await (clients[index] as Redis).cluster("MYID"));
    await until(async () => String(await client.cluster("NODES")).includes(id));
    await client.cluster("REPLICATE", id);
  }
  for (const client of clients.slice(shards)) await until(() => isLinked(client));
  // A primary that knows its stand-by only since a moment ago would not be replaced.
  await untilAgreed(clients, shards);
}

async function untilAgreed(clients: readonly Redis[], size: number): Promise<void> {
  const known = `cluster_known_nodes:${clients.length}`;
  for (const client of clients) {
    await until(async () => {
      const info = String(await client.cluster("INFO"));
      return info.includes("cluster_state:ok") && info.includes(known) && info.includes(`cluster_size:${size}`);
    });
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}
