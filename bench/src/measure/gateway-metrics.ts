// The metrics of a running gateway.
import { setTimeout as wait } from "node:timers/promises";

const readyLimitMs = 30_000;

/** The value of a metric without labels. 0 if there is none. */
export function metricIn(metrics: string, name: string): number {
  return Number(new RegExp(`^${name} ([\\d.]+)`, "m").exec(metrics)?.[1] ?? 0);
}

/** How many requests processes of these gateways forwarded to each other since they started. */
export async function forwardedAt(ports: readonly number[]): Promise<number> {
  const totals = await Promise.all(
    ports.map(async (port) => metricIn(await readMetrics(port), "lethe_requests_forwarded_total")),
  );
  return totals.reduce((sum, total) => sum + total, 0);
}

/** Whether the gateway has read what its only upstream offers. */
export function isUpstreamUp(metrics: string): boolean {
  return /^lethe_upstream_up\{.*\} 1/m.test(metrics);
}

/** Waits until the metrics of a gateway show that it is ready. Rejects after 30 s. */
export async function untilReady(port: number, isReady: (metrics: string) => boolean): Promise<void> {
  const deadline = performance.now() + readyLimitMs;
  while (!isReady(await readMetrics(port))) {
    if (performance.now() > deadline) throw new Error(`the gateway is not ready after ${readyLimitMs / 1_000} s`);
    await wait(100);
  }
}

/** Returns "" while the gateway does not answer. */
async function readMetrics(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
  return (await answer?.text()) ?? "";
}
