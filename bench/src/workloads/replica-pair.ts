// Starts two replicas of a gateway, or one gateway to compare them with, and loads one of them or both.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lethe } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { type HttpLoad, type OpenHttpLoad, openHttpLoad } from "../load/http-load.ts";
import { greetCall, toHttpRequest } from "../load/wire.ts";
import type { HttpChild } from "../measure/child.ts";
import type { Cores } from "../measure/cores.ts";
import { startGatewayCommand } from "../measure/gateway-child.ts";
import { forwardedAt, isUpstreamUp, metricIn, untilReady } from "../measure/gateway-metrics.ts";
import { sampleLoad } from "../measure/load-sample.ts";
import type { Sample } from "../measure/statistics.ts";
import { cpuSecondsOf } from "../measure/usage.ts";
import { callerHeaders, connections, startUpstream, toConfig, toRequests, warmCount } from "./shared-gateway.ts";
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

const upstreamSettings = { sharing: "session", affinity: "caller" };
const keys = `k1:${Buffer.alloc(32, 1).toString("base64url")}`;

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
    await warmUp((seconds) => load.run(seconds), seconds, warmCount);
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
  const server = upstream === "http" ? await run(startUpstream()) : undefined;
  const file = join(folder, "lethe.json");
  writeFileSync(file, JSON.stringify(toConfig(server, upstreamSettings, toStore(redis, sharing))));
  const command = (port: number) => [...lethe, "gateway", "--config", file, "--port", `${port}`];
  const start = () => run(startGatewayCommand(command, prefix, { LETHE_KEYS: keys }));
  const owner = await start();
  const other = isSingle ? owner : await start();
  await untilReady(owner.port, isUpstreamUp);
  if (sharing === "direct") await untilReady(other.port, (metrics) => metricIn(metrics, "lethe_replica_links") === 1);
  return { redis, owner, other };
}

/** Calls once for each caller: first at the replica that thereby owns its session, then at the other one. Returns the requests of the load. */
async function openSessions(
  { ownsHalf = false, returnsHints = false }: ReplicaPair,
  { owner, other }: Programs,
): Promise<Buffer[]> {
  const headers = callerHeaders();
  for (const [index, own] of headers.entries()) {
    const [first, second] = ownsHalf && index % 2 === 1 ? [other, owner] : [owner, other];
    for (const gateway of [first, second]) {
      const answer = await ask(gateway.port, toHttpRequest("modern", greetCall("modern", 1), own));
      checkHttpAnswer(answer, 1, checkGreeting);
      if (returnsHints && gateway === first) own.push(hintIn(answer.head));
    }
  }
  return toRequests(headers);
}

async function measureOnce(
  { forwarded }: ReplicaPair,
  { redis, owner, other }: Programs,
  load: OpenHttpLoad,
  seconds: number,
): Promise<Sample> {
  const gateways = [...new Set([owner, other])];
  const [ports, pids] = [gateways.map(({ port }) => port), gateways.map(({ pid }) => pid)];
  const redisMs = () => (cpuSecondsOf(redis.pid) ?? 0) * 1_000;
  await load.run(seconds / 10);
  const [before, redisBefore] = [await forwardedAt(ports), redisMs()];
  const sample = await sampleLoad(pids, () => load.run(seconds));
  const part = ((await forwardedAt(ports)) - before) / sample.count;
  if (Math.abs(part - forwarded) > 0.05) throw new Error(`${Math.round(100 * part)} % of the calls were forwarded`);
  return { ...sample, redis: (redisMs() - redisBefore) / sample.count };
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

/** The part of the configuration of a gateway that names its Redis. */
function toStore(redis: HttpChild, sharing: Sharing): object {
  if (sharing === "none") return {};
  const link = sharing === "direct" && { direct: { listen: "127.0.0.1:0" } };
  return { redis: { url: `redis://127.0.0.1:${redis.port}`, ...link } };
}

function hintIn(head: string): string {
  const [hint] = /^lethe-affinity: .*$/im.exec(head) ?? [];
  if (hint === undefined) throw new Error(`a response without an affinity hint: ${head}`);
  return hint.trim();
}
