// Thousands of open listen streams: what each costs, and how long one change takes to reach the last of them.
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
    // A few streams first, so that what a server loads with its first stream is not counted as the cost of each.
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

/** Lets the server finish what it does on the side, so that it is not measured in the next step. */
function settle(): Promise<void> {
  return wait(100);
}
