// Starts two replicas of a gateway, or one gateway to compare them with, and loads one of them or both.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callerKey, gatewayServer, lethe } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { type HttpLoad, type OpenHttpLoad, openHttpLoad } from "../load/http-load.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { type HttpChild, startHttpChild } from "../measure/child.ts";
import type { Cores } from "../measure/cores.ts";
import { startGatewayCommand } from "../measure/gateway-child.ts";
import { metricAt, readMetrics } from "../measure/gateway-metrics.ts";
import { sampleLoad } from "../measure/load-sample.ts";
import type { Sample } from "../measure/statistics.ts";
import { cpuSecondsOf } from "../measure/usage.ts";
import { type Plan, type Ready, warmUp } from "./workload.ts";

export type Upstream = "http" | "stdio";

/** How two gateways forward requests to each other. With "none", they know nothing of each other. */
type Sharing = "none" | "redis" | "direct";

export interface ReplicaPair {
  readonly name: string;
  readonly sharing: Sharing;
  /** The part of the calls that reach the replica that does not own their sessions. With 0.5, calls reach both in turn. */
  readonly forwarded: 0 | 0.5 | 1;
  /** Whether each replica owns the sessions of half of the callers, so that both serve. Default false: one owns all. */
  readonly ownsHalf?: boolean;
  /** Whether there is only one gateway, which shares nothing. Default false. */
  readonly isSingle?: boolean;
  /** Whether callers return the affinity hint of their first response with each request, as clients of Lethe do. Default false. */
  readonly returnsHints?: boolean;
}

export const connections = 64;
const callers = 8;
const keys = `k1:${Buffer.alloc(32, 1).toString("base64url")}`;
const httpProgram = fileURLToPath(new URL("../server.js", import.meta.url));

interface Programs {
  readonly redis: HttpChild;
  /** The same one if the pair is a single gateway. */
  readonly owner: HttpChild;
  readonly other: HttpChild;
}

/** A program or a load, which ends with the pair. */
interface Part {
  stop(): Promise<void>;
}

/** A sample also has `redis`: the CPU time of Redis per call, in ms. */
export async function startReplicaPair(
  pair: ReplicaPair,
  upstream: Upstream,
  { seconds, cores }: Plan,
): Promise<Ready> {
  const started: Part[] = [];
  const folder = mkdtempSync(join(tmpdir(), "lethe-bench-"));
  const stop = async (): Promise<void> => {
    for (const { stop: end } of started.reverse()) await end();
    rmSync(folder, { recursive: true });
  };
  try {
    const programs = await startPrograms(pair, upstream, folder, cores, started);
    const requests = await openSessions(pair, programs);
    const load = await openHttpLoad({ ...toArrival(pair, programs), requests, connections });
    started.push({ stop: async () => load.close() });
    await warmUp((seconds) => load.run(seconds), seconds, 4_000);
    return { measure: () => measureOnce(pair, programs, load, seconds), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPrograms(
  { sharing, isSingle = false }: ReplicaPair,
  upstream: Upstream,
  folder: string,
  cores: Cores,
  started: Part[],
): Promise<Programs> {
  const run = async <T extends HttpChild>(starting: Promise<T>): Promise<T> => {
    const child = await starting;
    started.push(child);
    return child;
  };
  const prefix = { prefix: cores.eitherPrefix };
  const redisCommand = (port: number) => ["redis-server", "--port", `${port}`, "--bind", "127.0.0.1", "--save", ""];
  const redis = await run(startGatewayCommand(redisCommand, prefix));
  const server =
    upstream === "http" ? await run(startHttpChild([process.execPath, httpProgram], { TOOLS: "1" })) : undefined;
  const file = join(folder, "lethe.json");
  writeFileSync(file, JSON.stringify(toConfig(server, redis, sharing)));
  const command = (port: number) => [...lethe, "gateway", "--config", file, "--port", `${port}`];
  const start = () => run(startGatewayCommand(command, prefix, { LETHE_KEYS: keys }));
  const owner = await start();
  const other = isSingle ? owner : await start();
  await until(async () => /^lethe_upstream_up\{.*\} 1/m.test(await readMetrics(owner.port)));
  if (sharing === "direct") await until(async () => (await metricAt(other.port, "lethe_replica_links")) === 1);
  return { redis, owner, other };
}

/** Calls once for each caller: first at the replica that thereby owns its session, then at the other one. Returns the requests of the load. */
async function openSessions(
  { ownsHalf = false, returnsHints = false }: ReplicaPair,
  { owner, other }: Programs,
): Promise<Buffer[]> {
  const headers = Array.from({ length: callers }, (_, index) => [`Authorization: Bearer ${callerKey(index)}`]);
  for (const [index, own] of headers.entries()) {
    const [first, second] = ownsHalf && index % 2 === 1 ? [other, owner] : [owner, other];
    for (const gateway of [first, second]) {
      const answer = await ask(gateway.port, toHttpRequest("modern", greetCall("modern", 1), own));
      checkHttpAnswer(answer, 1, checkGreeting);
      if (returnsHints && gateway === first) own.push(hintIn(answer.head));
    }
  }
  return Array.from({ length: callers * rotation }, (_, index) =>
    toHttpRequest("modern", greetCall("modern", index + 1), headers[index % callers]),
  );
}

async function measureOnce(
  { sharing, forwarded }: ReplicaPair,
  { redis, owner, other }: Programs,
  load: OpenHttpLoad,
  seconds: number,
): Promise<Sample> {
  const gateways = [...new Set([owner, other])];
  const forwardedTotal = async (): Promise<number> => {
    if (sharing === "none") return 0;
    const totals = await Promise.all(gateways.map(({ port }) => metricAt(port, "lethe_requests_forwarded_total")));
    return totals.reduce((sum, total) => sum + total, 0);
  };
  const redisMs = () => (cpuSecondsOf(redis.pid) ?? 0) * 1_000;
  await load.run(seconds / 10);
  const [before, redisBefore] = [await forwardedTotal(), redisMs()];
  let count = 0;
  const pids = gateways.map(({ pid }) => pid);
  const sample = await sampleLoad(pids, async () => {
    const result = await load.run(seconds);
    count = result.count;
    return result;
  });
  const part = ((await forwardedTotal()) - before) / count;
  if (Math.abs(part - forwarded) > 0.05) throw new Error(`${Math.round(100 * part)} % of the calls were forwarded`);
  return { ...sample, redis: (redisMs() - redisBefore) / count };
}

/** Where each connection sends its requests. With two owners, one half of the connections has the callers of one, the other half the rest. */
function toArrival(
  { forwarded, ownsHalf }: ReplicaPair,
  { owner, other }: Programs,
): Pick<HttpLoad, "port" | "takesPortsInTurn" | "groups"> {
  if (forwarded === 0.5) return { port: [owner.port, other.port], takesPortsInTurn: true };
  const [first, second] = forwarded === 0 ? [owner, other] : [other, owner];
  return ownsHalf ? { port: [first.port, second.port], groups: 2 } : { port: first.port };
}

function toConfig(server: HttpChild | undefined, redis: HttpChild, sharing: Sharing): object {
  const [command = "", ...args] = gatewayServer;
  const auth = {
    keys: Array.from({ length: callers }, (_, index) => ({ id: `caller-${index}`, key: callerKey(index) })),
  };
  const link = sharing === "direct" && { direct: { listen: "127.0.0.1:0" } };
  return {
    mcpServers: {
      up: server ? { url: `http://127.0.0.1:${server.port}/mcp` } : { command, args, env: { TOOLS: "1" } },
    },
    gateway: {
      auth,
      upstreams: { up: { prefix: "", sharing: "session", affinity: "caller" } },
      ...(sharing !== "none" && { redis: { url: `redis://127.0.0.1:${redis.port}`, ...link } }),
    },
  };
}

function hintIn(head: string): string {
  const [hint] = /^lethe-affinity: .*$/im.exec(head) ?? [];
  if (hint === undefined) throw new Error(`a response without an affinity hint: ${head}`);
  return hint.trim();
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error("the replicas are not ready after 30 s");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
