// Detects leaks: the heap after ten thousand calls and after a million, and after changes on unread streams.
import { setTimeout as wait } from "node:timers/promises";
import { type Contender, floorName } from "../contenders.ts";
import { runHttpLoad } from "../load/http-load.ts";
import { openListenStreams } from "../load/listen-streams.ts";
import { greetCall, rotation, toHttpRequest } from "../load/wire.ts";
import { isNodeCommand, startControlledChild } from "../measure/controlled-child.ts";
import type { Column } from "../measure/section.ts";
import type { Sample } from "../measure/statistics.ts";
import { rssBytesOf } from "../measure/usage.ts";
import { type Plan, readyAtOnce, takeTurns, type Workload } from "./workload.ts";

const firstCalls = 10_000;
const allCalls = 1_000_000;
/** The time limit. A contender that needs longer for a million calls is measured after fewer. */
const longestMs = 40_000;
const connections = 32;

const callColumns: readonly Column[] = [
  { metric: "calls", label: "calls", decimals: 0 },
  { metric: "first", label: `heap MB after ${firstCalls.toLocaleString("en-US")}`, decimals: 2 },
  { metric: "last", label: "after all", decimals: 2 },
  { metric: "perCall", label: "bytes/call", decimals: 1 },
];

export const memoryCallsWorkload: Workload = {
  id: "memory-calls",
  isMain: false,
  async run(plan) {
    const able = ableIn(plan);
    const rows = await takeTurns({ ...plan, rounds: 1 }, able, async (it) => readyAtOnce(() => calls(it, plan)));
    return { id: "memory-calls", title: "heap after many calls", columns: callColumns, rows, notes: [] };
  },
};

async function calls({ http = [], wire }: Contender, { cores }: Plan): Promise<Sample> {
  const child = await startControlledChild(cores.prefix, http);
  const requests = Array.from({ length: rotation }, (_, index) => toHttpRequest(wire, greetCall(wire, index + 1)));
  const started = performance.now();
  let count = 0;

  async function callUntil(target: number, seconds: number): Promise<void> {
    while (count < target && performance.now() - started < longestMs) {
      count += (await runHttpLoad({ port: child.port, requests, connections, seconds })).count;
    }
  }

  try {
    await callUntil(firstCalls, 0.1);
    const [before, first] = [count, await child.heapBytes()];
    await callUntil(allCalls, 1);
    const last = await child.heapBytes();
    return { calls: count, first: first / 1e6, last: last / 1e6, perCall: (last - first) / (count - before) };
  } finally {
    await child.stop();
  }
}

const streamCount = 5_000;
const changeCount = 1_000;
/** The number of bursts. Each takes one turn of the event loop, so that the server buffers changes, not the kernel. */
const bursts = 2;

const streamColumns: readonly Column[] = [
  { metric: "before", label: "heap MB before", decimals: 1 },
  { metric: "after", label: "after the changes", decimals: 1 },
  { metric: "perStream", label: "KB/stream", decimals: 2 },
  { metric: "rss", label: "RSS MB", decimals: 0 },
];

export const memoryStreamsWorkload: Workload = {
  id: "memory-streams",
  isMain: false,
  async run(plan) {
    const able = ableIn(plan).filter(({ lacks }) => !lacks?.includes("streams") && !lacks?.includes("bounds"));
    const rows = await takeTurns({ ...plan, rounds: 1 }, able, async (it) => readyAtOnce(() => streams(it, plan)));
    const [open, told] = [streamCount, changeCount].map((count) => count.toLocaleString("en-US"));
    const title = `heap with ${open} unread listen streams, and after ${told} changes`;
    return { id: "memory-streams", title, columns: streamColumns, rows, notes: [] };
  },
};

async function streams({ http = [] }: Contender, { cores }: Plan): Promise<Sample> {
  const child = await startControlledChild(cores.prefix, http);
  try {
    const open = await openListenStreams(child.port, streamCount);
    open.pause();
    const before = await child.heapBytes();
    for (let burst = 0; burst < bursts; burst += 1) {
      child.change(changeCount / bursts);
      await child.heapBytes();
      await wait(200);
    }
    const after = await child.heapBytes();
    const rss = rssBytesOf(child.pid);
    open.close();
    return {
      before: before / 1e6,
      after: after / 1e6,
      perStream: (after - before) / 1000 / streamCount,
      rss: rss === undefined ? undefined : rss / 1e6,
    };
  } finally {
    await child.stop();
  }
}

/** Skips variants, which use as much memory as the original, and the baseline. */
function ableIn({ contenders }: Plan): Contender[] {
  return contenders.filter(
    ({ name, http, isVariant }) => http && isNodeCommand(http) && !isVariant && name !== floorName,
  );
}
