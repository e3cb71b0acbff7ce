// Starts two replicas of a gateway, and loads one of them or both.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callerKey, gatewayServer, lethe } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { openHttpLoad } from "../load/http-load.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { type HttpChild, startHttpChild } from "../measure/child.ts";
import { startGatewayCommand } from "../measure/gateway-child.ts";
import { metricAt, readMetrics } from "../measure/gateway-metrics.ts";
import { sampleLoad } from "../measure/load-sample.ts";
import { cpuSecondsOf } from "../measure/usage.ts";
import { type Plan, type Ready, warmUp } from "./workload.ts";

export type Upstream = "http" | "stdio";

/** How two gateways forward requests to each other. With "none", they know nothing of each other. */
type Sharing = "none" | "redis" | "direct";

export interface ReplicaPair {
  readonly name: string;
  readonly sharing: Sharing;
  /** The part of the calls that reach the replica that does not own their sessions. */
  readonly forwarded: 0 | 0.5 | 1;
  /** Whether callers return the affinity hint of their first response with each request, as clients of Lethe do. Default false. */
  readonly returnsHints?: boolean;
}

export const connections = 64;
const callers = 8;
const keys = `k1:${Buffer.alloc(32, 1).toString("base64url")}`;
const httpProgram = fileURLToPath(new URL("../server.js", import.meta.url));

/** A sample also has `redis`: the CPU time of Redis per call, in ms. */
export async function startReplicaPair(
  { sharing, forwarded, returnsHints = false }: ReplicaPair,
  upstream: Upstream,
  { seconds, cores }: Plan,
): Promise<Ready> {
  const started: { stop(): Promise<void> }[] = [];
  const folder = mkdtempSync(join(tmpdir(), "lethe-bench-"));
  const stop = async (): Promise<void> => {
    for (const { stop: end } of started.reverse()) await end();
    rmSync(folder, { recursive: true });
  };
  const run = async <T extends HttpChild>(starting: Promise<T>): Promise<T> => {
    const child = await starting;
    started.push(child);
    return child;
  };
  try {
    const prefix = { prefix: cores.eitherPrefix };
    const redisCommand = (port: number) => ["redis-server", "--port", `${port}`, "--bind", "127.0.0.1", "--save", ""];
    const redis = await run(startGatewayCommand(redisCommand, prefix));
    const server =
      upstream === "http" ? await run(startHttpChild([process.execPath, httpProgram], { TOOLS: "1" })) : undefined;
    const file = join(folder, "lethe.json");
    writeFileSync(file, JSON.stringify(toConfig(server, redis, sharing)));
    const command = (port: number) => [...lethe, "gateway", "--config", file, "--port", `${port}`];
    const owner = await run(startGatewayCommand(command, prefix, { LETHE_KEYS: keys }));
    const other = await run(startGatewayCommand(command, prefix, { LETHE_KEYS: keys }));
    await until(async () => /^lethe_upstream_up\{.*\} 1/m.test(await readMetrics(owner.port)));
    if (sharing === "direct") await until(async () => (await metricAt(other.port, "lethe_replica_links")) === 1);
    const headers = Array.from({ length: callers }, (_, index) => [`Authorization: Bearer ${callerKey(index)}`]);
    for (const port of [owner.port, other.port]) {
      for (const own of headers) {
        const answer = await ask(port, toHttpRequest("modern", greetCall("modern", 1), own));
        checkHttpAnswer(answer, 1, checkGreeting);
        if (returnsHints && port === owner.port) own.push(hintIn(answer.head));
      }
    }
    const requests = Array.from({ length: callers * rotation }, (_, index) =>
      toHttpRequest("modern", greetCall("modern", index + 1), headers[index % callers]),
    );
    const ports = { 0: [owner.port], 0.5: [owner.port, other.port], 1: [other.port] }[forwarded];
    const load = await openHttpLoad({ port: ports, takesPortsInTurn: true, requests, connections });
    started.push({ stop: async () => load.close() });
    await warmUp((seconds) => load.run(seconds), seconds, 4_000);
    const forwardedTotal = () => (sharing === "none" ? 0 : metricAt(other.port, "lethe_requests_forwarded_total"));
    return {
      async measure() {
        await load.run(seconds / 10);
        const [before, redisBefore] = [await forwardedTotal(), cpuSecondsOf(redis.pid) ?? 0];
        let count = 0;
        const sample = await sampleLoad([owner.pid, other.pid], async () => {
          const result = await load.run(seconds);
          count = result.count;
          return result;
        });
        const part = ((await forwardedTotal()) - before) / count;
        if (Math.abs(part - forwarded) > 0.05)
          throw new Error(`${Math.round(100 * part)} % of the calls were forwarded`);
        return { ...sample, redis: (((cpuSecondsOf(redis.pid) ?? 0) - redisBefore) * 1_000) / count };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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
