// Three gateways from the command line behind a real nginx in plain round robin, which share nothing but keys and one Redis.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client, ConnectOptions } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { findFreePort } from "../../packages/redis/src/testing/free-port.ts";
import { type RunningRedis, startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { type RunningGateway, startGatewayWith } from "../processes/lethe.ts";
import { startNginx } from "../processes/nginx.ts";
import { childrenOf } from "../processes/process-tree.ts";

export interface GatewayFleet {
  readonly url: string;
  readonly replicas: RunningGateway[];
  readonly redis: RunningRedis;
  /** The same place, empty. */
  restartRedis(afterMs?: number): Promise<void>;
  connect(caller: string, options?: ConnectOptions): Promise<Client>;
  /** A number of each replica that runs. */
  metric(name: string): Promise<number[]>;
  /** What the servers of all replicas wrote to stderr. */
  readonly lines: string[];
  /** Processes of servers below all replicas. */
  readonly children: number[];
  close(): Promise<void>;
}

export interface FleetPlan {
  /** As in a configuration file. */
  servers: Record<string, { command: string; args: string[] }>;
  upstreams?: Record<string, object>;
  /** Absent: callers are anonymous. */
  callers: readonly string[];
}

export async function startFleet({ servers, upstreams = {}, callers }: FleetPlan): Promise<GatewayFleet> {
  let redis = await startRedis();
  const folder = await mkdtemp(join(tmpdir(), "lethe-fleet-"));
  const file = join(folder, "lethe.json");
  const keys = callers.map((id) => ({ id, key: toKey(id) }));
  const auth = keys.length > 0 && { auth: { keys } };
  const gateway = { ...auth, redis: { url: redis.url }, upstreams, shutdown: { graceMs: 2_000 } };
  await writeFile(file, JSON.stringify({ mcpServers: servers, gateway }));
  const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 5).toString("base64url")}` };
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
  const replicas = await Promise.all(
    ports.map((port) => startGatewayWith(env, file, "--port", String(port), "--verbose")),
  );
  const nginx = await startNginx(ports);
  const clients: Client[] = [];
  const running = () => replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null);
  return {
    url: nginx.url,
    replicas,
    redis,
    async restartRedis(afterMs = 0) {
      await redis.stop();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      redis = await startRedis(redis.port);
    },
    async connect(caller, options) {
      const client = await connect(nginx.url, { ...options, headers: { authorization: `Bearer ${toKey(caller)}` } });
      clients.push(client);
      return client;
    },
    async metric(name) {
      const texts = running().map(async ({ url }) => (await fetch(new URL("/metrics", url))).text());
      return (await Promise.all(texts)).map((text) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(text)?.[1]));
    },
    get lines() {
      return replicas.flatMap(({ output }) => output.stderr.split("\n"));
    },
    get children() {
      return running().flatMap(({ child }) => childrenOf(child.pid as number).map(({ pid }) => pid));
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all(replicas.map((replica) => replica.stop()));
      await nginx.stop();
      await redis.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function toKey(caller: string): string {
  return `key-of-${caller}`.padEnd(24, "-");
}
