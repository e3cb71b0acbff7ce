// What the processes of an idle fleet use: memory, CPU, sockets, and traffic with Redis and the upstream.
import { readdirSync, readFileSync } from "node:fs";
import { sendToRedis } from "../processes/redis.ts";
import type { IdleFleet } from "./idle-fleet.ts";

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

export interface Memory {
  /** Bytes in use after a garbage collection, including buffers outside of the heap. */
  readonly heap: number;
  /** Resident set size in bytes. */
  readonly rss: number;
}

export interface Delays {
  /** In ms. */
  readonly p99: number;
  readonly max: number;
}

export interface UpstreamStats {
  readonly requests: number;
  readonly initialized: number;
  readonly calls: number;
  readonly others: number;
  readonly bytes: number;
  readonly sockets: number;
}

export interface Traffic {
  /** CPU seconds of each replica. */
  readonly cpu: readonly number[];
  readonly redisCommands: Readonly<Record<string, number>>;
  readonly redisBytesIn: number;
  readonly redisBytesOut: number;
  readonly upstreamRequests: number;
  readonly upstreamBytes: number;
}

export async function readMemory({ probePorts }: IdleFleet, replica: number): Promise<Memory> {
  const { heapUsed, external, rss } = await readJson<NodeJS.MemoryUsage>(probePorts[replica] ?? 0, "/memory");
  return { heap: heapUsed + external, rss };
}

/** The delay of the event loop since the last call. */
export function readDelays({ probePorts }: IdleFleet, replica: number): Promise<Delays> {
  return readJson(probePorts[replica] ?? 0, "/delays");
}

export function readUpstream({ upstreamPort }: IdleFleet): Promise<UpstreamStats> {
  return readJson(upstreamPort, "/stats");
}

/** User and system time of all threads so far, in seconds. */
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The command name may hold spaces and parentheses; the numbers start after its last ")".
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Open sockets, files and pipes. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The totals since the start. */
export async function readTraffic(fleet: IdleFleet): Promise<Traffic> {
  const [stats, commands, upstream] = await Promise.all([
    sendToRedis(fleet.redisPort, "INFO", "stats"),
    sendToRedis(fleet.redisPort, "INFO", "commandstats"),
    readUpstream(fleet),
  ]);
  const calls = [...commands.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)];
  return {
    cpu: fleet.replicas.map(({ pid, isRunning }) => (isRunning ? cpuSecondsOf(pid) : 0)),
    redisCommands: Object.fromEntries(calls.map(([, name = "", count]) => [name, Number(count)])),
    redisBytesIn: Number(/total_net_input_bytes:(\d+)/.exec(stats)?.[1]),
    redisBytesOut: Number(/total_net_output_bytes:(\d+)/.exec(stats)?.[1]),
    upstreamRequests: upstream.requests,
    upstreamBytes: upstream.bytes,
  };
}

export function subtract(after: Traffic, before: Traffic): Traffic {
  const names = Object.keys(after.redisCommands);
  const grown = names.map(
    (name) => [name, (after.redisCommands[name] ?? 0) - (before.redisCommands[name] ?? 0)] as const,
  );
  return {
    cpu: after.cpu.map((seconds, index) => seconds - (before.cpu[index] ?? 0)),
    redisCommands: Object.fromEntries(grown.filter(([, count]) => count > 0)),
    redisBytesIn: after.redisBytesIn - before.redisBytesIn,
    redisBytesOut: after.redisBytesOut - before.redisBytesOut,
    upstreamRequests: after.upstreamRequests - before.upstreamRequests,
    upstreamBytes: after.upstreamBytes - before.upstreamBytes,
  };
}

async function readJson<T>(port: number, path: string): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: "close" } });
  return (await response.json()) as T;
}
