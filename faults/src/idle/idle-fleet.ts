// Three gateway replicas with a real Redis, in front of a cheap server of revision 2025-11-25 that gives session ids.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePorts, untilListening } from "../processes/ports.ts";
import { ProcessSet, type Started } from "../processes/process-set.ts";
import { startRedis } from "../processes/redis.ts";
import { startReplica, untilReady } from "../processes/replica.ts";
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
    const { clone, sessions } = this.#plan;
    const port = this.ports[replica] ?? 0;
    const heapMb = Math.ceil(512 + sessions * 0.08);
    const started = startReplica(this.#processes, {
      ...{ clone, folder: this.#folder, index: replica, port, config: this.#configure() },
      node: [`--max-old-space-size=${heapMb}`, "--expose-gc", "--import", join(sources, "idle/memory-probe.mjs")],
      env: { LETHE_PROBE_PORT: String(this.probePorts[replica]) },
    });
    this.replicas[replica] = started;
    await untilReady(port, started);
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
