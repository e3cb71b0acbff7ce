// Measures how far a second worker scales a gateway. On two cores, the load and the upstreams need a part of both, so requests per second
// say little: the CPU time of the gateway's processes per request does. Two workers on two free cores serve 2 x (CPU ms of one process /
// CPU ms of two workers) as much as one process on one core.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { callerKey, gatewayServer, lethe } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { type OpenHttpLoad, openHttpLoad } from "../load/http-load.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { type HttpChild, startHttpChild } from "../measure/child.ts";
import { startGatewayCommand } from "../measure/gateway-child.ts";
import { metricAt, readMetrics } from "../measure/gateway-metrics.ts";
import { loadColumns, sampleLoad } from "../measure/load-sample.ts";
import { medianOf, medianRatio, type Sample } from "../measure/statistics.ts";

import { childrenOf } from "../measure/usage.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

type Upstream = "modern" | "stateful";

export interface GatewayWorkersOptions {
  readonly upstream: Upstream;
  /** Each connection carries the calls of one caller, as a client's own do. Default: of all, as those of a load balancer with a pool do. */
  readonly isDirect?: boolean;
}

interface Variant {
  readonly name: string;
  readonly workers: number;
  /** Gateways that share nothing, each with its part of the connections. */
  readonly gateways: number;
}

const one: Variant = { name: "1 process", workers: 1, gateways: 1 };
const two: Variant = { name: "2 workers", workers: 2, gateways: 1 };
const apart: Variant = { name: "2 gateways", workers: 1, gateways: 2 };
const serverProgram = fileURLToPath(new URL("../server.js", import.meta.url));
const callers = 8;
const forwardedMetric = "lethe_requests_forwarded_total";
/** Requests after which a process counts as warm. */
const warmCount = 4_000;
/** In all. A process with fewer than 32 reads fewer requests in a turn of its event loop, and needs more CPU for each. */
const connections = 64;

const titles: Readonly<Record<Upstream, string>> = {
  modern: "a modern server over HTTP",
  stateful: `a stateful server on stdio, ${callers} callers, each with a process of its own`,
};

export function gatewayWorkersWorkload(options: GatewayWorkersOptions): Workload {
  const { upstream, isDirect = false } = options;
  const id = `gateway-workers-${upstream}${isDirect ? "-direct" : ""}`;
  const whose = isDirect ? "each of one caller" : "each of all callers";
  return {
    id,
    isMain: false,
    async run(plan) {
      const rows = await takeTurns(plan, [one, two, apart], (variant) => prepare(variant, options, plan));
      const [base = [], more = [], separate = []] = rows.map(({ samples }) => samples);
      const forwarded = medianOf(more, "forwarded");
      return {
        id,
        title: `lethe gateway, tools/call at ${titles[upstream]}, ${connections} connections, ${whose}`,
        columns: loadColumns,
        rows,
        floor: one.name,
        notes: [
          "CPU ms is that of the gateway, its parent included, without upstreams. All variants may use all cores.",
          `By CPU ms, two workers on two free cores serve ${scaleOf(more, base)} x as much as one process.`,
          `Two gateways that share nothing serve ${scaleOf(separate, base)} x: they compete for caches and memory.`,
          ...(forwarded === undefined
            ? []
            : [`${Math.round(forwarded * 100)} % of the calls were forwarded to the other worker.`]),
        ],
      };
    },
  };
}

function scaleOf(samples: readonly Sample[], base: readonly Sample[]): string {
  const cost = medianRatio(samples, base, "cpu");
  return cost === undefined ? "unknown" : (2 / cost).toFixed(2);
}

async function prepare(
  { workers, gateways: count }: Variant,
  { upstream, isDirect = false }: GatewayWorkersOptions,
  { seconds, cores }: Plan,
): Promise<Ready> {
  const folder = mkdtempSync(join(tmpdir(), "lethe-bench-"));
  const file = join(folder, "lethe.json");
  const server = upstream === "modern" ? await startUpstream() : undefined;
  writeFileSync(file, JSON.stringify(toConfig(server)));
  const gateways: HttpChild[] = [];
  let load: OpenHttpLoad | undefined;
  const stop = async (): Promise<void> => {
    load?.close();
    for (const gateway of gateways) await gateway.stop();
    await server?.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    for (let index = 0; index < count; index += 1) gateways.push(await startWith(file, workers, cores));
    const requests = Array.from({ length: callers * rotation }, (_, index) =>
      toHttpRequest("modern", greetCall("modern", index + 1), [`Authorization: Bearer ${callerKey(index % callers)}`]),
    );
    const ports = gateways.map(({ port }) => port);
    for (const port of ports) await checkAnswers(port, requests, workers);
    // They stay open: new ones would first move to the workers that answer them.
    load = await openHttpLoad({ port: ports, requests, connections, groups: isDirect ? callers : 1 });
    // Each process compiles its own code.
    const { run } = load;
    await warmUp(run, seconds, warmCount * workers * count);
    const pids = gateways.flatMap(({ pid }) => (workers > 1 ? [pid, ...childrenOf(pid)] : [pid]));
    return { measure: () => measure({ run, ports, seconds, pids }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startWith(file: string, workers: number, { eitherPrefix }: Plan["cores"]): Promise<HttpChild> {
  const flags = workers > 1 ? ["--workers", `${workers}`] : [];
  return startGatewayCommand((port) => [...lethe, "gateway", "--config", file, "--port", String(port), ...flags], {
    prefix: eitherPrefix,
  });
}

async function checkAnswers(port: number, requests: readonly Buffer[], workers: number): Promise<void> {
  await untilReady(port, workers);
  for (const [index, request] of requests.slice(0, callers).entries()) {
    checkHttpAnswer(await ask(port, request), index + 1, checkGreeting);
  }
}

interface Measured {
  readonly run: OpenHttpLoad["run"];
  readonly ports: readonly number[];
  readonly seconds: number;
  readonly pids: readonly number[];
}

async function measure({ run, ports, seconds, pids }: Measured): Promise<Sample> {
  const forwarded = async (): Promise<number> => {
    const counts = await Promise.all(ports.map((port) => metricAt(port, forwardedMetric)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  await run(seconds / 10);
  const before = await forwarded();
  let count = 0;
  const sample = await sampleLoad(pids, async () => {
    const result = await run(seconds);
    count = result.count;
    return result;
  });
  return { ...sample, forwarded: ((await forwarded()) - before) / count };
}

function startUpstream(): Promise<HttpChild> {
  return startHttpChild([process.execPath, serverProgram], { TOOLS: "1" });
}

function toConfig(server: HttpChild | undefined): object {
  const [command = "", ...args] = gatewayServer;
  const keys = Array.from({ length: callers }, (_, index) => ({ id: `caller-${index}`, key: callerKey(index) }));
  return {
    mcpServers: {
      up: server ? { url: `http://127.0.0.1:${server.port}/mcp` } : { command, args, env: { TOOLS: "1" } },
    },
    gateway: { auth: { keys }, upstreams: { up: { prefix: "" } } },
  };
}

/** Waits until all workers listen and have read what the upstream offers. */
async function untilReady(port: number, workers: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const text = await readMetrics(port);
    const count = Number(/^lethe_workers (\d+)/m.exec(text)?.[1] ?? 1);
    if (count === workers && /^lethe_upstream_up\{.*\} 1/m.test(text)) return;
    if (performance.now() > deadline) throw new Error("the gateway is not ready after 30 s");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
