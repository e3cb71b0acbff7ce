// npm run fuzz -- hostile-upstreams: the latency of calls to a well-behaved upstream while another one behind the gateway misbehaves.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { type Beside, type BesideOptions, startBeside } from "../../e2e/hostile/beside.ts";
import { kinds } from "../../e2e/hostile/kinds.ts";

interface Row {
  readonly kind: string;
  readonly over: string;
  /** From the start of the gateway until the tools of the good upstream are listed, in ms. */
  readonly readyMs: number;
  readonly calls: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly healthMs: number;
  readonly peakRssMib: number;
  readonly loggedKib: number;
}

const heads = [
  "upstream",
  "over",
  "ready ms",
  "calls",
  "failed",
  "p50 ms",
  "p99 ms",
  "healthz ms",
  "RSS MiB peak",
  "log KiB",
];
/** Pause between two calls: a light load, so that the delay is that of the gateway. */
const pauseMs = 10;
const mostReadyMs = 60_000;

/** Resolves with the exit code: 1 if a call failed or took longer than it may on an idle machine. */
export async function measureHostileUpstreams(args: readonly string[], root: string): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "5" },
      kind: { type: "string", multiple: true, default: [] },
      "max-p99": { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const all = Object.entries(kinds);
  const chosen = all.filter(([kind]) => values.kind.length === 0 || values.kind.includes(kind));
  const rows: Row[] = [];
  for (const [kind, over] of chosen) {
    for (const transport of over) {
      const row = await measure({ kind, over: transport, root }, Number(values.seconds) * 1_000);
      rows.push(row);
      if (!values.json) console.error(toLine(toCells(row)));
    }
  }
  console.log(
    values.json ? JSON.stringify(rows, undefined, 1) : `\n${[heads, ...rows.map(toCells)].map(toLine).join("\n")}`,
  );
  const maxP99Ms = Number(values["max-p99"] ?? Number.POSITIVE_INFINITY);
  return rows.every(({ failed, p99Ms }) => failed === 0 && p99Ms <= maxP99Ms) ? 0 : 1;
}

async function measure(options: BesideOptions, ms: number): Promise<Row> {
  const { kind, over } = options;
  const startedAt = performance.now();
  const beside = await startBeside(options);
  const clients: Client[] = [];
  const open = async (): Promise<Client> => {
    const client = await connect(beside.url, { onWarning: () => {}, cache: false });
    clients.push(client);
    return client;
  };
  try {
    const client = await open();
    while (!(await client.listTools()).some(({ name }) => name === "good__t")) {
      if (performance.now() - startedAt > mostReadyMs)
        throw new Error(`${kind}: the good upstream is not listed:\n${beside.logged()}`);
      await sleep(20);
    }
    const readyMs = performance.now() - startedAt;
    const stop = provoke(await open());
    const times: number[] = [];
    const health: number[] = [];
    let failed = 0;
    const fail = (error: unknown): void => {
      failed += 1;
      console.error(`${kind} over ${over}: ${error}`);
    };
    const end = performance.now() + ms;
    while (performance.now() < end) {
      times.push(await timeOf(() => client.callTool("good__t", {}, { maxTotalMs: 30_000 }), fail));
      if (times.length % 10 === 0) health.push(await timeOf(() => fetch(new URL("/healthz", beside.url)), fail));
      await sleep(pauseMs);
    }
    stop.abort();
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return {
      ...{ kind, over, readyMs, failed },
      calls: times.length,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      healthMs: Math.max(0, ...health),
      peakRssMib: peakRssOf(beside),
      loggedKib: beside.logged().length / 1024,
    };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await beside.stop();
  }
}

/** Repeatedly calls the tool of the hostile upstream, which starts its attack. */
function provoke(client: Client): AbortController {
  const stop = new AbortController();
  const { signal } = stop;
  const repeat = async (): Promise<void> => {
    while (!signal.aborted) {
      const hears = { onProgress: () => {}, onLog: () => {} };
      await client.callTool("hostile__t", {}, { signal, timeoutMs: 5_000, ...hears }).catch(() => {});
      await client.readResource("a:5/none", { signal }).catch(() => {});
      await sleep(50);
    }
  };
  void repeat();
  void repeat();
  return stop;
}

async function timeOf(run: () => Promise<unknown>, onFailure: (error: unknown) => void): Promise<number> {
  const startedAt = performance.now();
  await run().catch(onFailure);
  return performance.now() - startedAt;
}

function peakRssOf({ gateway }: Beside): number {
  if (process.platform !== "linux") return Number.NaN;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1024;
}

function toCells({ kind, over, calls, failed, loggedKib, ...numbers }: Row): string[] {
  const { readyMs, p50Ms, p99Ms, healthMs, peakRssMib } = numbers;
  const rounded = [p50Ms, p99Ms, healthMs].map((value) => value.toFixed(1));
  return [
    kind,
    over,
    readyMs.toFixed(0),
    String(calls),
    String(failed),
    ...rounded,
    peakRssMib.toFixed(0),
    loggedKib.toFixed(0),
  ];
}

function toLine(cells: readonly string[]): string {
  return cells.map((cell, column) => (column < 2 ? cell.padEnd(column === 0 ? 20 : 6) : cell.padStart(12))).join("");
}
