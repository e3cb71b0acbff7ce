// Three gateways from the command line behind a real nginx in plain round robin, which share only keys and one Redis.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { type CuttableProxy, openCuttableProxy } from "../../packages/redis/src/testing/cuttable-proxy.ts";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";
import { startNginx } from "../processes/nginx.ts";
import { childrenOf } from "../processes/process-tree.ts";

export interface GatewayFleet {
  readonly url: string;
  readonly replicas: RunningGateway[];
  readonly redis: RunningRedis;
  /** The connection of each replica to Redis, which a test can cut. */
  readonly links: readonly CuttableProxy[];
  /** Restarts Redis at the same address without data. */
  restartRedis(afterMs?: number): Promise<void>;
  /** Stops a replica in order, and starts it again at the same address. Resolves when it is ready. */
  restart(index: number): Promise<void>;
  /** Connects through the load balancer, or to the replica at `url`. */
  connect(caller: string, options?: ConnectOptions, url?: string): Promise<Client>;
  /** Returns a metric of each running replica. */
  metric(name: string): Promise<number[]>;
  /** The stderr of the servers of all replicas. */
  readonly lines: string[];
  /** The server processes of all replicas. */
  readonly children: number[];
  close(): Promise<void>;
}

export interface FleetPlan {
  /** As in a configuration file, for all replicas or for each by its place. */
  servers: Record<string, object> | ((replica: number) => Record<string, object>);
  upstreams?: Record<string, object>;
  /** Absent: callers are anonymous. */
  callers: readonly string[];
  /** Further members of `gateway.redis`. */
  redisSettings?: object;
  /** Further members of the `gateway` block. */
  settings?: object;
  /** Starts the load balancer in front of these ports. Default: nginx in plain round robin. */
  startBalancer?(ports: readonly number[]): Promise<{ url: string; stop(): Promise<void> }>;
}

export async function startFleet(plan: FleetPlan): Promise<GatewayFleet> {
  const {
    servers,
    upstreams = {},
    callers,
    redisSettings,
    settings = {},
    startBalancer = (all) => startNginx(all),
  } = plan;
  const serversOf = typeof servers === "function" ? servers : () => servers;
  let redis = await startRedis();
  const folder = await mkdtemp(join(tmpdir(), "lethe-fleet-"));
  const keys = callers.map((id) => ({ id, key: toKey(id) }));
  const auth = keys.length > 0 && { auth: { keys } };
  const links = await Promise.all([1, 2, 3].map(() => openCuttableProxy(redis.url)));
  const files = links.map((_, index) => join(folder, `lethe-${index}.json`));
  for (const [index, { url }] of links.entries()) {
    const common = { ...auth, upstreams, shutdown: { graceMs: 2_000 }, ...settings };
    const gateway = { ...common, redis: { url, ...redisSettings } };
    await writeFile(files[index] as string, JSON.stringify({ mcpServers: serversOf(index), gateway }));
  }
  const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 5).toString("base64url")}` };
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const starts = await Promise.allSettled(
    ports.map((port, index) => startGatewayWith(env, files[index] as string, "--port", String(port), "--verbose")),
  );
  const replicas = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  const stop = async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await Promise.all(links.map((link) => link.close()));
    await redis.stop();
    await rm(folder, { recursive: true });
  };
  const stopAfter = async (error: unknown): Promise<never> => {
    await stop();
    throw error;
  };
  // Another program may have taken a port meanwhile.
  for (const start of starts) if (start.status === "rejected") await stopAfter(start.reason);
  /** Replicas that ran before a restart. */
  const replaced: RunningGateway[] = [];
  const balancer = await startBalancer(ports).catch(stopAfter);
  const clients: Client[] = [];
  const running = () => replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  return {
    url: balancer.url,
    replicas,
    links,
    get redis() {
      return redis;
    },
    async restartRedis(afterMs = 0) {
      await redis.stop();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      redis = await startRedis(redis.port);
    },
    async restart(index) {
      const before = replicas[index] as RunningGateway;
      await before.stop();
      replaced.push(before);
      const again = await startGatewayWith(env, files[index] as string, "--port", String(ports[index]), "--verbose");
      replicas[index] = again;
      while ((await fetch(new URL("/readyz", again.url))).status !== 200) await sleep(50);
    },
    async connect(caller, options, url = balancer.url) {
      const client = await connect(url, { ...options, headers: { authorization: `Bearer ${toKey(caller)}` } });
      clients.push(client);
      return client;
    },
    async metric(name) {
      const texts = running().map(async ({ url }) => (await fetch(new URL("/metrics", url))).text());
      return (await Promise.all(texts)).map((text) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1]));
    },
    get lines() {
      return [...replaced, ...replicas].flatMap(({ output }) => output.stderr.split("\n"));
    },
    get children() {
      return running().flatMap(({ child }) => childrenOf(child.pid as number).map(({ pid }) => pid));
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await balancer.stop();
      await stop();
    },
  };
}

/** The key of a caller. */
export function toKey(caller: string): string {
  return `key-of-${caller}`.padEnd(24, "-");
}
