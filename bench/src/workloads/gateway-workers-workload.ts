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
import { runHttpLoad } from "../load/http-load.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { type HttpChild, startHttpChild } from "../measure/child.ts";
import { startGatewayCommand } from "../measure/gateway-child.ts";
import { metricAt, readMetrics } from "../measure/gateway-metrics.ts";
import { loadColumns, sampleLoad } from "../measure/load-sample.ts";
import { medianOf, medianRatio } from "../measure/statistics.ts";

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
}

const one: Variant = { name: "1 process", workers: 1 };
const two: Variant = { name: "2 workers", workers: 2 };
const serverProgram = fileURLToPath(new URL("../server.js", import.meta.url));
const callers = 8;
const forwardedMetric = "lethe_requests_forwarded_total";
/** Requests after which a process counts as warm. */
const warmCount = 4_000;
/** Each caller has connections to both workers. */
const connections = 32;

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
      const rows = await takeTurns(plan, [one, two], (variant) => prepare(variant, options, plan));
      const [base = [], more = []] = rows.map(({ samples }) => samples);
      const cost = medianRatio(more, base, "cpu");
      const scale = cost === undefined ? "unknown" : (2 / cost).toFixed(2);
      const forwarded = medianOf(more, "forwarded");
      return {
        id,
        title: `lethe gateway, tools/call at ${titles[upstream]}, ${connections} connections, ${whose}`,
        columns: loadColumns,
        rows,
        floor: one.name,
        notes: [
          "CPU ms is that of the gateway, its parent included, without upstreams. Both variants may use all cores.",
          `By CPU ms, two workers on two free cores serve ${scale} x as much as one process.`,
          ...(forwarded === undefined
            ? []
            : [`${Math.round(forwarded * 100)} % of the calls were forwarded to the other worker.`]),
        ],
      };
    },
  };
}

async function prepare(
  { workers }: Variant,
  { upstream, isDirect = false }: GatewayWorkersOptions,
  { seconds, cores }: Plan,
): Promise<Ready> {
  const folder = mkdtempSync(join(tmpdir(), "lethe-bench-"));
  const file = join(folder, "lethe.json");
  const server = upstream === "modern" ? await startUpstream() : undefined;
  writeFileSync(file, JSON.stringify(toConfig(server)));
  const gateway = await startGatewayCommand(
    (port) => [
      ...lethe,
      "gateway",
      "--config",
      file,
      "--port",
      String(port),
      ...(workers > 1 ? ["--workers", `${workers}`] : []),
    ],
    { prefix: cores.eitherPrefix },
  );
  const stop = async (): Promise<void> => {
    await gateway.stop();
    await server?.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    const { port } = gateway;
    const requests = Array.from({ length: callers * rotation }, (_, index) =>
      toHttpRequest("modern", greetCall("modern", index + 1), [`Authorization: Bearer ${callerKey(index % callers)}`]),
    );
    await untilReady(port, workers);
    for (const [index, request] of requests.slice(0, callers).entries()) {
      checkHttpAnswer(await ask(port, request), index + 1, checkGreeting);
    }
    const load = { port, requests, connections, groups: isDirect ? callers : 1 };
    // Each process compiles its own code.
    await warmUp((seconds) => runHttpLoad({ ...load, seconds }), seconds, warmCount * workers);
    const pids = workers > 1 ? [gateway.pid, ...childrenOf(gateway.pid)] : [gateway.pid];
    return {
      async measure() {
        await runHttpLoad({ ...load, seconds: seconds / 10 });
        const before = await metricAt(port, forwardedMetric);
        let count = 0;
        const sample = await sampleLoad(pids, async () => {
          const result = await runHttpLoad({ ...load, seconds });
          count = result.count;
          return result;
        });
        return { ...sample, forwarded: ((await metricAt(port, forwardedMetric)) - before) / count };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
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
