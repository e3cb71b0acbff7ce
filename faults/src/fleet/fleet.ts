// Three gateway replicas of one clone behind a load balancer with Redis, and two upstreams that count.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { RunRecord } from "../check/records.ts";
import { prepareHaproxy } from "../processes/haproxy.ts";
import { prepareNginx, readDocuments } from "../processes/nginx.ts";
import { findFreePorts, isListening, untilListening } from "../processes/ports.ts";
import { isAlive, ProcessSet, type Started } from "../processes/process-set.ts";
import { startRedis } from "../processes/redis.ts";
import { RedisProxy } from "../processes/redis-proxy.ts";
import { startReplica, untilReady } from "../processes/replica.ts";
import { Observer, readMetric } from "./observer.ts";

export type Balancer = "nginx" | "haproxy";

export interface FleetPlan {
  /** The folder of the clone whose gateway is tested. */
  readonly clone: string;
  readonly callers: readonly string[];
  /** Default: nginx. */
  readonly balancer?: Balancer;
  readonly isPersistent?: boolean;
  /** `one`: all replicas reach Redis through one proxy. `each`: each replica has its own. */
  readonly proxy?: "one" | "each";
  /** Starts a second Redis that replicates the first. Needs `proxy`. */
  readonly hasStandby?: boolean;
  /** The offset of the clock of a replica, in seconds. */
  readonly skew?: { readonly replica: number; readonly seconds: number };
  readonly redisProgram?: string;
}

export const upstreams = ["cnt", "hcnt"] as const;
const replicaCount = 3;
/** Deep under src/ or beside the bundle, the folder of the upstreams is the same. */
const counters = fileURLToPath(new URL("../src/upstreams/", import.meta.url));
export const faketime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

export class Fleet {
  readonly observer: Observer;
  readonly proxies: RedisProxy[] = [];
  readonly ports: number[];
  readonly replicas: Started[] = [];
  readonly #processes = new ProcessSet();
  readonly #folder = mkdtempSync(join(tmpdir(), "lethe-faults-"));
  readonly #plan: FleetPlan;
  readonly #startedAt = performance.now();
  readonly #redisPort: number;
  readonly #standbyPort: number;
  readonly #upstreamPort: number;
  readonly #balancerPort: number;
  readonly #startBalancer: () => Promise<Started>;
  readonly #keepAliveMs: number | undefined;
  #closing: Promise<string[]> | undefined;
  #redis: Started | undefined;
  #balancer: Started | undefined;
  #upstream: Started | undefined;

  private constructor(plan: FleetPlan, ports: readonly number[]) {
    const [redis = 0, standby = 0, upstream = 0, balancer = 0, ...replicas] = ports;
    this.#plan = plan;
    this.#redisPort = redis;
    this.#standbyPort = standby;
    this.#upstreamPort = upstream;
    this.#balancerPort = balancer;
    this.ports = replicas;
    this.observer = new Observer(() => this.now());
    const { clone } = plan;
    this.#keepAliveMs = toKeepAliveMs(readDocuments(clone));
    const prepare = plan.balancer === "haproxy" ? prepareHaproxy : prepareNginx;
    this.#startBalancer = prepare(this.#processes, { clone, folder: this.#folder, port: balancer, replicas });
  }

  /** Resolves when all replicas are ready. */
  static async start(plan: FleetPlan): Promise<Fleet> {
    const fleet = new Fleet(plan, await findFreePorts(4 + replicaCount));
    try {
      await fleet.#start();
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  /** Milliseconds since the start of the fleet. */
  now(): number {
    return performance.now() - this.#startedAt;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#balancerPort}/mcp`;
  }

  get redis(): Started {
    if (!this.#redis) throw new Error("Redis was not started");
    return this.#redis;
  }

  get balancer(): Started {
    if (!this.#balancer) throw new Error("the load balancer was not started");
    return this.#balancer;
  }

  get upstream(): Started {
    if (!this.#upstream) throw new Error("the upstream was not started");
    return this.#upstream;
  }

  get redisPort(): number {
    return this.#redisPort;
  }

  get standbyPort(): number {
    return this.#standbyPort;
  }

  async startRedis(): Promise<void> {
    const { redisProgram: program, isPersistent } = this.#plan;
    const plan = { port: this.#redisPort, folder: this.#folder, program, isPersistent };
    this.#redis = await startRedis(this.#processes, plan);
  }

  /** Starts the upstream over HTTP, or starts it again. */
  async startUpstream(): Promise<void> {
    const args = [join(counters, "http-counter.mjs"), this.#logFile, String(this.#upstreamPort)];
    this.#upstream = this.#processes.start("hcnt", process.execPath, args);
    await untilListening(this.#upstreamPort, this.#upstream);
  }

  async startBalancer(): Promise<void> {
    this.#balancer = await this.#startBalancer();
  }

  /** Starts a replica, or starts it again, and waits until it is ready. */
  async startReplica(index: number): Promise<void> {
    const { clone, skew } = this.#plan;
    this.replicas[index] = startReplica(this.#processes, {
      ...{ clone, folder: this.#folder, index, port: this.ports[index] ?? 0, config: this.#configure(index) },
      env: skew?.replica === index ? toFakeTime(skew.seconds) : {},
      onLine: (line) => this.observer.readLine(index, line),
    });
    await this.untilReady(index);
  }

  untilReady(index: number, limitMs?: number): Promise<void> {
    return untilReady(this.ports[index] ?? 0, this.replicas[index], limitMs);
  }

  /** The running replica with the most sessions. */
  busiestReplica(): Promise<number> {
    return this.replicaWithMost("lethe_session_leases");
  }

  async replicaWithMost(metric: string): Promise<number> {
    const counts = await Promise.all(this.ports.map((port) => readMetric(port, metric)));
    return counts.indexOf(Math.max(...counts));
  }

  keyOf(caller: string): string {
    return `key-of-${caller}`.padEnd(24, "-");
  }

  /** What the upstreams have executed so far. */
  get runs(): RunRecord[] {
    const lines = readFileSync(this.#logFile, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as RunRecord);
  }

  /** Ends everything and returns what outlived a clean stop. */
  close(): Promise<string[]> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<string[]> {
    this.observer.stop();
    await Promise.all(this.replicas.map((replica) => stopWithin(replica, 20_000)));
    const pids = new Set(this.#redis ? this.runs.map(({ pid }) => pid) : []);
    await this.#processes.close();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    const leftovers = await this.#leftovers(pids);
    rmSync(this.#folder, { recursive: true, force: true });
    return leftovers;
  }

  async #leftovers(pids: ReadonlySet<number>): Promise<string[]> {
    const end = performance.now() + 5_000;
    while ([...pids].some(isAlive) && performance.now() < end) await sleep(100);
    const alive = [...pids].filter(isAlive);
    for (const pid of alive) process.kill(pid, "SIGKILL");
    const ports = [this.#redisPort, this.#upstreamPort, this.#balancerPort, ...this.ports];
    const open = await Promise.all(ports.map(isListening));
    return [
      ...alive.map((pid) => `upstream process ${pid}`),
      ...ports.filter((_, index) => open[index]).map((port) => `a listener on port ${port}`),
    ];
  }

  get #logFile(): string {
    return join(this.#folder, "runs.jsonl");
  }

  async #start(): Promise<void> {
    const { proxy, hasStandby } = this.#plan;
    writeFileSync(this.#logFile, "");
    await this.startRedis();
    if (hasStandby) {
      const args = ["--replicaof", `127.0.0.1 ${this.#redisPort}`];
      await startRedis(this.#processes, { port: this.#standbyPort, folder: this.#folder, args });
    }
    const proxies = proxy === "each" ? replicaCount : proxy === "one" ? 1 : 0;
    for (let index = 0; index < proxies; index += 1) this.proxies.push(await RedisProxy.open(this.#redisPort));
    await this.startUpstream();
    await Promise.all(this.ports.map((_, index) => this.startReplica(index)));
    await this.startBalancer();
    this.observer.start(this.ports);
  }

  #configure(index: number): string {
    const proxy = this.proxies[index] ?? this.proxies[0];
    const file = join(this.#folder, `lethe-${index}.json`);
    const stdio = { command: process.execPath, args: [join(counters, "stdio-counter.mjs"), this.#logFile] };
    const mcpServers = { cnt: stdio, hcnt: { url: `http://127.0.0.1:${this.#upstreamPort}/mcp` } };
    const gateway = {
      auth: { keys: this.#plan.callers.map((id) => ({ id, key: this.keyOf(id) })) },
      redis: { url: `redis://127.0.0.1:${proxy?.port ?? this.#redisPort}` },
      upstreams: Object.fromEntries(upstreams.map((name) => [name, { tasks: "auto" }])),
      shutdown: { delayMs: 1_000, graceMs: 10_000 },
      // Builds whose documentation recommends this setting for load balancers know it.
      ...(this.#keepAliveMs === undefined ? {} : { keepAliveMs: this.#keepAliveMs }),
    };
    writeFileSync(file, JSON.stringify({ mcpServers, gateway }));
    return file;
  }
}

async function stopWithin(replica: Started, limitMs: number): Promise<void> {
  if (!replica.isRunning) return;
  const timer = setTimeout(() => replica.signal("SIGKILL"), limitMs);
  await replica.end("SIGTERM");
  clearTimeout(timer);
}

/** The value that the page about load balancers recommends for their configurations. */
function toKeepAliveMs(documents: readonly string[]): number | undefined {
  const page = documents.find((text) => text.startsWith("# Load balancers"));
  const [, value] = /"keepAliveMs": (\d+)/.exec(page ?? "") ?? [];
  return value === undefined ? undefined : Number(value);
}

function toFakeTime(seconds: number): Record<string, string> {
  const offset = `${seconds < 0 ? "" : "+"}${seconds}s`;
  return { LD_PRELOAD: faketime, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" };
}
