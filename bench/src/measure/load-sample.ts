// Runs one load and returns a sample: rate and latency of the load, CPU time and memory of the server.
import type { LoadResult } from "../load/http-load.ts";
import type { Column, Row } from "./section.ts";
import { medianOf, percentile, type Sample } from "./statistics.ts";
import { cpuSecondsOf, rssBytesOf } from "./usage.ts";

export const loadColumns: readonly Column[] = [
  { metric: "perSecond", label: "req/s", decimals: 0, hasRatio: true },
  { metric: "p50", label: "p50 ms", decimals: 2 },
  { metric: "p99", label: "p99 ms", decimals: 2 },
  { metric: "cpu", label: "CPU ms", decimals: 3, hasRatio: true },
  { metric: "rss", label: "RSS MB", decimals: 0 },
];

/** A sample also has `count`, the number of requests. */
export type LoadSample = Sample & { readonly count: number };

/** `pids`: the processes of the server, whose CPU time and memory are added. */
export async function sampleLoad(
  pids: number | readonly number[],
  run: () => Promise<LoadResult>,
): Promise<LoadSample> {
  const sumOf = (read: (pid: number) => number | undefined) => addUp([pids].flat().map(read));
  const serverBefore = sumOf(cpuSecondsOf);
  const loadBefore = process.cpuUsage();
  const { count, seconds, latencies } = await run();
  const load = process.cpuUsage(loadBefore);
  const serverAfter = sumOf(cpuSecondsOf);
  const cpu = serverBefore === undefined || serverAfter === undefined ? undefined : serverAfter - serverBefore;
  const rss = sumOf(rssBytesOf);
  return {
    count,
    perSecond: count / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: cpu === undefined ? undefined : (cpu * 1000) / count,
    rss: rss === undefined ? undefined : rss / 1e6,
    serverBusy: cpu === undefined ? undefined : cpu / seconds,
    loadBusy: (load.user + load.system) / 1e6 / seconds,
  };
}

/** Undefined if one of them is. */
function addUp(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}

/** A note for each row whose process did not use its full core: the load or another process limited its rate. */
export function saturationNotes(rows: readonly Row[], measured = "server"): string[] {
  const idle = rows.flatMap(({ contender, samples }) => {
    const server = medianOf(samples, "serverBusy");
    const load = medianOf(samples, "loadBusy");
    if (server === undefined || load === undefined || server >= 0.9) return [];
    return [`${contender} (${measured} ${toPercent(server)}, load ${toPercent(load)})`];
  });
  return idle.length > 0
    ? [`Not limited by the ${measured}'s core: ${idle.join(", ")}. Compare CPU ms, not req/s.`]
    : [];
}

function toPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
