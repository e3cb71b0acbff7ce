// Reloads of the configuration of several workers.
import { expect, it } from "vitest";
import type { ReadConfig } from "../config/read-config.ts";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { WorkerReloads } from "./worker-reloads.ts";

function reloadsTo(settings: GatewaySettings, replace: () => Promise<void> = async () => {}) {
  const asked: number[] = [];
  const events: string[] = [];
  const group = {
    peers: [1, 2].map((number) => ({ number })),
    ask: async (number: number) => {
      asked.push(number);
      return { isApplied: true, problems: [] };
    },
    replace,
  } as unknown as ConstructorParameters<typeof WorkerReloads>[0];
  const load = async () => ({ files: [], config: { settings } }) as unknown as ReadConfig;
  const reloads = new WorkerReloads(group, { settings: {}, load, log: ({ event }) => events.push(event) });
  return { reloads, asked, events };
}

it("asks each worker to reload, and says that the configuration is applied", async () => {
  const { reloads, asked } = reloadsTo({ policy: [{ effect: "allow" }] });
  expect(await reloads.reload()).toEqual({ isApplied: true, problems: [] });
  expect(asked).toEqual([1, 2]);
});

it("names the settings for which workers are still replaced, without waiting for the old ones to end", async () => {
  let finish: () => void = () => {};
  const { reloads, asked, events } = reloadsTo({ limits: { maxTools: 4_000 } }, () => {
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  expect(await reloads.reload()).toEqual({ isApplied: true, problems: [], replacing: ["limits"] });
  expect([asked, events]).toEqual([[], ["worker.replacing"]]);
  finish();
  expect(await reloads.reload()).toEqual({ isApplied: true, problems: [] });
  expect(events).toEqual(["worker.replacing", "worker.replaced"]);
});
