// Measures how far a second worker scales a gateway. On two cores, the load and the upstreams need a part of both, so requests per second
// say little: the CPU time of the gateway's processes per request does. Two workers on two free cores serve 2 x (CPU ms of one process /
// CPU ms of two workers) as much as one process on one core.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lethe } from "../gateways.ts";
import { ask } from "../load/ask.ts";
import { checkGreeting, checkHttpAnswer } from "../load/check-answer.ts";
import { type OpenHttpLoad, openHttpLoad } from "../load/http-load.ts";
import type { HttpChild } from "../measure/child.ts";
import { startGatewayCommand } from "../measure/gateway-child.ts";
import { forwardedAt, isUpstreamUp, metricIn, untilReady } from "../measure/gateway-metrics.ts";
import { loadColumns, sampleLoad } from "../measure/load-sample.ts";
import { medianOf, medianRatio, type Sample } from "../measure/statistics.ts";
import { childrenOf } from "../measure/usage.ts";
import {
  callerHeaders,
  callers,
  connections,
  startUpstream,
  toConfig,
  toRequests,
  warmCount,
} from "./shared-gateway.ts";
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
    const requests = toRequests(callerHeaders());
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

/** Waits until all workers listen and have read what the upstream offers, and checks one answer to each caller. */
async function checkAnswers(port: number, requests: readonly Buffer[], workers: number): Promise<void> {
  await untilReady(
    port,
    (metrics) => isUpstreamUp(metrics) && (workers === 1 || metricIn(metrics, "lethe_workers") === workers),
  );
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
  await run(seconds / 10);
  const before = await forwardedAt(ports);
  const sample = await sampleLoad(pids, () => run(seconds));
  return { ...sample, forwarded: ((await forwardedAt(ports)) - before) / sample.count };
}
