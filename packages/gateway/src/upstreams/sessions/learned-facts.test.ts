// Facts about an upstream that outlive a restart of the gateway.
import type { JsonObject } from "@lethe/protocol";
import { afterEach, expect, it, vi } from "vitest";
import type { StdioUpstream } from "../../config/upstream-config.ts";
import {
  type FactStore,
  noteLegacyTools,
  noteSingleTenant,
  recallLegacyTools,
  recallsSingleTenant,
} from "./learned-facts.ts";

afterEach(() => {
  vi.useRealTimers();
});

const upstream: StdioUpstream = { kind: "stdio", name: "up", command: "x", args: ["--token=secret"], env: {} };

function createStore(): FactStore & { readonly kept: Map<string, JsonObject> } {
  const kept = new Map<string, JsonObject>();
  return { kept, load: (key) => kept.get(key), save: (key, value) => void kept.set(key, value) };
}

it("stores both facts about an upstream under keys that show no argument", async () => {
  const store = createStore();
  await noteLegacyTools(store, upstream, ["ask"]);
  await noteSingleTenant(store, upstream);
  expect(await recallLegacyTools(store, upstream)).toEqual(["ask"]);
  expect(await recallsSingleTenant(store, upstream)).toBe(true);
  expect([...store.kept.keys()].join()).not.toContain("secret");
});

it("does not recall tools of another command line", async () => {
  const store = createStore();
  await noteLegacyTools(store, upstream, ["ask"]);
  expect(await recallLegacyTools(store, { ...upstream, args: [] })).toEqual([]);
});

it("forgets tools after 30 days and recalls none from a store that fails or holds other data", async () => {
  vi.useFakeTimers();
  const store = createStore();
  await noteLegacyTools(store, upstream, ["ask"]);
  vi.advanceTimersByTime(30 * 24 * 3_600_000);
  expect(await recallLegacyTools(store, upstream)).toEqual([]);
  const broken = () => Promise.reject(new Error("no disk"));
  await noteLegacyTools({ load: broken, save: broken }, upstream, ["ask"]);
  expect(await recallLegacyTools({ load: broken, save: broken }, upstream)).toEqual([]);
  const odd = { load: () => ({ tools: "ask", learnedAt: Date.now() }), save: () => {} };
  expect(await recallLegacyTools(odd, upstream)).toEqual([]);
});
