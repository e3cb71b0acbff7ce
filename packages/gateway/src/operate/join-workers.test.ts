// The metrics of a gateway with several workers.
import type { JoinedWorkers, WorkerPeer, WorkerProcess } from "@lethe/server/workers";
import { Gauge, Registry } from "prom-client";
import { expect, it } from "vitest";
import { Siblings } from "./join-workers.ts";
import type { Log } from "./observe/log.ts";

async function metricsOf(running: number) {
  const registry = new Registry();
  new Gauge({ registers: [registry], name: "running", help: "Running requests", aggregator: "sum" }).set(running);
  return registry.getMetricsAsJSON();
}

function toSiblings(peers: readonly (Pick<WorkerPeer, "id" | "isListening"> & { readonly running?: number })[]) {
  const directory = {
    reach: (id: string) => async () => {
      const running = peers.find((peer) => peer.id === id)?.running;
      if (running === undefined) throw new Error("it ended");
      return { resultType: "complete", values: await metricsOf(running) };
    },
  };
  const join = () => ({ directory }) as unknown as JoinedWorkers;
  const worker = { peers, join } as unknown as WorkerProcess;
  return new Siblings({ worker, log: {} as Log, dispatchAt: () => undefined });
}

it("counts the workers that listen, and adds the metrics of those that start or stop too", async () => {
  const siblings = toSiblings([
    { id: "listening", isListening: true, running: 1 },
    { id: "stopping", isListening: false, running: 4 },
    { id: "starting", isListening: false },
    { id: "silent", isListening: true },
  ]);
  const text = await siblings.metricsText(await metricsOf(2));
  expect(text).toContain("running 7\n");
  expect(text).toContain("lethe_workers 2\n");
});
