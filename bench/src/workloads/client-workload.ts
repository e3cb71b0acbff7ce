// Measures the overhead of a client: calls of one client, with many in flight.

import type { Driven } from "../clients/drive.ts";
import { bareName, type ClientContender, clients, script } from "../clients.ts";
import type { LoadResult } from "../load/http-load.ts";
import { type Child, startChild, startHttpChild } from "../measure/child.ts";
import { loadColumns, sampleLoad, saturationNotes } from "../measure/load-sample.ts";
import { type Plan, type Ready, takeTurns, type Workload, warmUp } from "./workload.ts";

/** The warm-up, so that compilation does not count as the cost of calls. */
const warmCount = 50_000;

export function clientHttpWorkload(inFlight: number): Workload {
  const id = `client-http-${inFlight}`;
  return {
    id,
    isMain: false,
    async run(plan) {
      const peer = await startHttpChild([process.execPath, script("clients/peer-http.js")], {});
      const target = `http://127.0.0.1:${peer.port}/mcp`;
      try {
        return await section(id, `clients over HTTP, ${inFlight} calls in flight`, clients, plan, (client) =>
          prepare(client, target, inFlight, plan),
        );
      } finally {
        await peer.stop();
      }
    },
  };
}

export function clientStdioWorkload(inFlight: number): Workload {
  const id = `client-stdio-${inFlight}`;
  const able = clients.filter(({ lacksStdio }) => !lacksStdio);
  return {
    id,
    isMain: false,
    run: (plan) =>
      section(id, `clients on stdio, ${inFlight} calls in flight`, able, plan, (client) => {
        const target = [...plan.cores.loadPrefix, process.execPath, script("clients/peer-stdio.js")];
        return prepare(client, target, inFlight, plan);
      }),
  };
}

async function section(
  id: string,
  title: string,
  able: readonly ClientContender[],
  plan: Plan,
  prepareOne: (client: ClientContender) => Promise<Ready>,
) {
  const rows = await takeTurns(plan, able, prepareOne);
  return { id, title, columns: loadColumns, rows, floor: bareName, notes: saturationNotes(rows, "client") };
}

async function prepare(
  { module }: ClientContender,
  target: string | readonly string[],
  inFlight: number,
  { cores, seconds }: Plan,
): Promise<Ready> {
  const words = [script("clients/drive.js"), module, JSON.stringify(target), String(inFlight)];
  const child = startChild([...cores.prefix, process.execPath, ...words], {});
  const readLine = linesOf(child);

  async function run(length: number): Promise<LoadResult> {
    child.process.stdin.write(`run ${length}\n`);
    const driven = JSON.parse(await readLine()) as Driven;
    return { ...driven, latencies: Float64Array.from(driven.latencies, (micros) => micros / 1000).sort() };
  }

  try {
    const first = await readLine();
    if (first !== "ready") throw new Error(`printed ${first} instead of ready`);
    await warmUp(run, seconds, warmCount);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    async measure() {
      await run(seconds / 10);
      return sampleLoad(child.pid, () => run(seconds));
    },
    stop: () => end(child),
  };
}

/** Ends the client by closing its stdin, because a killed client leaves its server running. */
async function end(child: Child): Promise<void> {
  child.process.stdin.end();
  await Promise.race([child.died.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 3_000))]);
  await child.stop();
}

function linesOf(child: Child): () => Promise<string> {
  const lines: string[] = [];
  let rest = "";
  let wake: (() => void) | undefined;
  child.process.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    wake?.();
  });
  return async () => {
    while (lines.length === 0) {
      const more = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([more, child.died]);
    }
    return lines.shift() as string;
  };
}
