// The requests that the page keeps.
import { expect, it, vi } from "vitest";
import type { Exchange } from "./admin-api.ts";
import { createExchangeLog, maxExchanges } from "./exchange-log.ts";

const exchange = (id: number): Exchange => ({
  ...{
    id: `${id}`,
    replica: "r1",
    hasSteps: false,
    time: "",
    endpoint: "/mcp",
    method: "tools/call",
    ms: 1,
    outcome: "complete",
  },
});

it("tells its subscribers once about all requests that arrived before the next frame", () => {
  const frames: (() => void)[] = [];
  const log = createExchangeLog((callback) => void frames.push(callback));
  const onChange = vi.fn();
  log.subscribe(onChange);
  log.add(exchange(1));
  log.add(exchange(2));
  expect(frames).toHaveLength(1);
  expect(log.snapshot).toEqual([]);
  frames[0]?.();
  expect(log.snapshot.map(({ id }) => id)).toEqual(["1", "2"]);
  expect(onChange).toHaveBeenCalledTimes(1);
});

it("keeps the newest requests when it is full", () => {
  let flush = (): void => {};
  const log = createExchangeLog((callback) => {
    flush = callback;
  });
  for (let id = 0; id < maxExchanges + 2; id += 1) log.add(exchange(id));
  flush();
  expect(log.snapshot).toHaveLength(maxExchanges);
  expect(log.snapshot.at(-1)?.id).toBe(`${maxExchanges + 1}`);
});

it("orders requests of several replicas by the time at which they arrived", () => {
  let flush = (): void => {};
  const log = createExchangeLog((callback) => {
    flush = callback;
  });
  log.add({ ...exchange(1), time: "2026-01-01T00:00:03.000Z" });
  log.add({ ...exchange(2), time: "2026-01-01T00:00:01.000Z" });
  flush();
  log.add({ ...exchange(3), time: "2026-01-01T00:00:02.000Z" });
  flush();
  expect(log.snapshot.map(({ id }) => id)).toEqual(["2", "3", "1"]);
});

it("says of how many requests it shows a sample, until no more are left out", () => {
  let now = 10_000;
  const log = createExchangeLog(
    () => {},
    () => now,
  );
  log.add(exchange(1));
  now += 1_000;
  expect(log.sample).toBeUndefined();
  for (let count = 0; count < 2; count += 1) {
    for (let id = 0; id < 100; id += 1) log.add(exchange(id));
    log.addLeftOut(4_900);
    now += 1_000;
  }
  expect(log.sample).toEqual({ shown: 67, received: 3_334 });
  now += 6_000;
  expect(log.sample).toBeUndefined();
});
