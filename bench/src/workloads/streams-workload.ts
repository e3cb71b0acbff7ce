// Measures the memory per listen stream with thousands open, and the time until a change reaches the last one.
import { setTimeout as wait } from "node:timers/promises";
import type { Contender } from "../contenders.ts";
import { openListenStreams } from "../load/listen-streams.ts";
import { startHttpChild } from "../measure/child.ts";
import type { Column } from "../measure/section.ts";
import { median, type Sample } from "../measure/statistics.ts";
import { rssBytesOf } from "../measure/usage.ts";
import { type Plan, readyAtOnce, takeTurns, type Workload } from "./workload.ts";

const streamCount = 2000;
const changes = 5;
const columns: readonly Column[] = [
  { metric: "rss", label: "RSS KB/stream", decimals: 1, hasRatio: true },
  { metric: "spread", label: "ms to the last", decimals: 1, hasRatio: true },
];

export const streamsWorkload: Workload = {
  id: "streams",
  isMain: false,
  async run(plan) {
    const able = plan.contenders.filter(({ http, lacks }) => http && !lacks?.includes("streams"));
    const rows = await takeTurns(plan, able, async (contender) => readyAtOnce(() => measure(contender, plan)));
    const title = `${streamCount.toLocaleString("en-US")} listen streams, one changed tool list`;
    return { id: "streams", title, columns, rows, notes: [] };
  },
};

async function measure({ http = [] }: Contender, { cores }: Plan): Promise<Sample> {
  const child = await startHttpChild([...cores.prefix, ...http], { TOOLS: "1" });
  try {
    // Opens a few streams first, so that the cost of the first stream does not count.
    (await openListenStreams(child.port, 50)).close();
    await settle();
    const before = rssBytesOf(child.pid);
    const streams = await openListenStreams(child.port, streamCount);
    await settle();
    const after = rssBytesOf(child.pid);
    const spreads: number[] = [];
    for (let change = 0; change < changes; change += 1) {
      const last = streams.nextChange();
      const signalled = performance.now();
      process.kill(child.pid, "SIGUSR2");
      spreads.push((await last) - signalled);
      await settle();
    }
    streams.close();
    const rss = before === undefined || after === undefined ? undefined : (after - before) / 1000 / streamCount;
    return { rss, spread: median(spreads) };
  } finally {
    await child.stop();
  }
}

/** Waits for background work of the server, so that the next step does not measure it. */
function settle(): Promise<void> {
  return wait(100);
}
