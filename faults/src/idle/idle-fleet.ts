// Three gateway replicas with a real Redis, in front of a cheap server of revision 2025-11-25 that gives session ids.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePorts, untilListening } from "../processes/ports.ts";
import { ProcessSet, type Started } from "../processes/process-set.ts";
import { startRedis } from "../processes/redis.ts";
import { audience, type Issuer, issuer, startIssuer } from "./callers.ts";

export const replicaCount = 3;

export interface IdleFleetPlan {
  /** The folder of the clone whose gateway is measured. */
  readonly clone: string;
  readonly sessions: number;
}

/** Beside the bundle. */
const sources = fileURLToPath(new URL("../src/", import.meta.url));
const hourMs = 3_600_000;
const readyLimitMs = 90_000;

export class IdleFleet {
  readonly issuer: Issuer;
  readonly redisPort: number;
  readonly upstreamPort: number;
  readonly ports: readonly number[];
  readonly probePorts: readonly number[];
  readonly replicas: Started[] = [];
  readonly #processes = new ProcessSet();
  readonly #folder = mkdtempSync(join(tmpdir(), "lethe-idle-"));
  readonly #plan: IdleFleetPlan;

  private constructor(plan: IdleFleetPlan, tokens: Issuer, ports: readonly number[]) {
    const [redis = 0, upstream = 0, ...others] = ports;
    this.#plan = plan;
    this.issuer = tokens;
    this.redisPort = redis;
    this.upstreamPort = upstream;
    this.ports = others.slice(0, replicaCount);
    this.probePorts = others.slice(replicaCount);
  }

  /** Resolves when all replicas are ready. */
  static async start(plan: IdleFleetPlan): Promise<IdleFleet> {
    const fleet = new IdleFleet(plan, await startIssuer(), await findFreePorts(2 + 2 * replicaCount));
    try {
      await fleet.#start();
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  urlOf(replica: number): string {
    return `http://127.0.0.1:${this.ports[replica]}/mcp`;
  }

  async close(): Promise<void> {
    this.issuer.close();
    await this.#processes.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    await startRedis(this.#processes, { port: this.redisPort, folder: this.#folder });
    const args = [join(sources, "upstreams/bare-sessions.mjs"), String(this.upstreamPort)];
    await untilListening(this.upstreamPort, this.#processes.start("upstream", process.execPath, args));
    for (const replica of this.ports.keys()) await this.#startReplica(replica);
  }

  async #startReplica(replica: number): Promise<void> {
    const state = join(this.#folder, `state-${replica}`);
    mkdirSync(state, { recursive: true });
    const heapMb = Math.ceil(512 + this.#plan.sessions * 0.08);
    const node = [`--max-old-space-size=${heapMb}`, "--expose-gc", "--import", join(sources, "idle/memory-probe.mjs")];
    const lethe = join(this.#plan.clone, "packages/cli/bin/lethe.js");
    const gateway = ["gateway", "--config", this.#configure(), "--port", String(this.ports[replica]), "--log", "json"];
    const started = this.#processes.start(`replica ${replica}`, process.execPath, [...node, lethe, ...gateway], {
      cwd: this.#folder,
      env: {
        LETHE_KEYS: `k1:${Buffer.alloc(32, 5).toString("base64url")}`,
        LETHE_PROBE_PORT: String(this.probePorts[replica]),
        XDG_STATE_HOME: state,
      },
    });
    this.replicas[replica] = started;
    await this.#untilReady(replica, started);
  }

  async #untilReady(replica: number, started: Started): Promise<void> {
    const end = performance.now() + readyLimitMs;
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${this.ports[replica]}/readyz`).catch(() => undefined);
      if (response?.status === 200) return;
      if (!started.isRunning) throw new Error(`replica ${replica} ended at its start: ${started.lastLine}`);
      if (performance.now() > end) throw new Error(`replica ${replica} is not ready: ${started.lastLine}`);
      await sleep(100);
    }
  }

  #configure(): string {
    const file = join(this.#folder, "servers.json");
    const sessions = { max: this.#plan.sessions, idleMs: 6 * hourMs, lifetimeMs: 24 * hourMs };
    const gateway = {
      publicUrl: "http://127.0.0.1/mcp",
      auth: { jwt: { issuer, jwksUrl: this.issuer.jwksUrl, audience: [audience] } },
      redis: { url: `redis://127.0.0.1:${this.redisPort}` },
      upstreams: { bare: { sharing: "session", sessions } },
    };
    const mcpServers = { bare: { url: `http://127.0.0.1:${this.upstreamPort}/mcp` } };
    writeFileSync(file, JSON.stringify({ mcpServers, gateway }));
    return file;
  }
}
