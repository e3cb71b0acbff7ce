import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { useRedis } from "../testing/own-redis.ts";
import { createRedisRateCounter } from "./redis-rate-counter.ts";

const { connect, start } = useRedis();
const rate = { max: 5, windowMs: 60_000 };
/** However slow the machine is. */
const patient = { patienceMs: 10_000 };

test("enforces one limit per caller across processes", async () => {
  const counters = await Promise.all([1, 2, 3].map(async () => createRedisRateCounter(await connect(), patient)));
  const takes = (callerId?: string) =>
    Promise.all(Array.from({ length: 12 }, (_, index) => counters[index % 3]?.take(callerId, rate)));
  for (const callerId of ["ann", "bob", undefined, ""]) {
    const waits = await takes(callerId);
    expect(waits.filter((ms) => ms === 0)).toHaveLength(5);
    for (const ms of waits.filter((it) => it !== 0)) {
      expect(ms).toBeGreaterThan(6_000);
      expect(ms).toBeLessThanOrEqual(12_000);
    }
  }
});

test.each([1, 3, 7, 600])("a window admits exactly %i requests at once", async (max) => {
  const counter = createRedisRateCounter(await connect(), patient);
  // Long enough that nothing is refilled while they are sent.
  const takes = Array.from({ length: max + 3 }, () => counter.take("ann", { max, windowMs: max * 60_000 }));
  expect((await Promise.all(takes)).filter((ms) => ms === 0)).toHaveLength(max);
});

test("admits a caller after the announced wait, and deletes the key of an idle caller", async () => {
  const connection = await connect();
  const counter = createRedisRateCounter(connection, patient);
  const quick = { max: 2, windowMs: 200 };
  const waits = await Promise.all([1, 2, 3].map(() => counter.take("ann", quick)));
  expect(waits.slice(0, 2)).toEqual([0, 0]);
  expect(waits[2]).toBeLessThanOrEqual(100);
  await vi.waitFor(async () => expect(await counter.take("ann", quick)).toBe(0));
  await vi.waitFor(async () => expect(await connection.client.keys(connection.nameOf("*"))).toEqual([]));
});

test("counts limits with different names separately, and stores no caller name in Redis", async () => {
  const connection = await connect();
  const [one, two] = ["one", "two"].map((name) => createRedisRateCounter(connection, { ...patient, name }));
  const single = { max: 1, windowMs: 60_000 };
  expect([await one?.take("ann", single), await two?.take("ann", single)]).toEqual([0, 0]);
  expect(await one?.take("ann", single)).toBeGreaterThan(0);
  expect((await connection.client.keys(connection.nameOf("*"))).join()).not.toContain("ann");
});

test("counts per process with one warning while Redis is away, and together afterwards", async () => {
  const own = await start();
  const connections = [await connect({ url: own.url }), await connect({ url: own.url })];
  const warnings: string[] = [];
  const options = { ...patient, pauseMs: 20, onWarning: (warning: string) => void warnings.push(warning) };
  const counters = connections.map((connection) => createRedisRateCounter(connection, options));
  await Promise.all([own.stop(), ...connections.map(({ client }) => once(client, "close"))]);
  for (const counter of counters) {
    const waits = await Promise.all(Array.from({ length: 8 }, () => counter.take("ann", rate)));
    expect(waits.filter((ms) => ms === 0)).toHaveLength(5);
  }
  expect(warnings).toHaveLength(2);
  await start(own.port);
  // Its own count is used up, so that only Redis can say 0.
  for (const counter of counters) await vi.waitFor(async () => expect(await counter.take("ann", rate)).toBe(0), 10_000);
  await vi.waitFor(async () => {
    for (const counter of counters) expect(await counter.take("ann", rate)).toBeGreaterThan(0);
  });
  expect(warnings).toHaveLength(2);
});

test("waits for a stalled Redis at most patienceMs, and not again for pauseMs", async () => {
  const own = await start();
  const connection = await connect({ url: own.url });
  const onWarning = vi.fn();
  const counter = createRedisRateCounter(connection, { patienceMs: 30, onWarning });
  expect(await counter.take("ann", rate)).toBe(0);
  await (await connect({ url: own.url })).client.call("CLIENT", "PAUSE", "5000", "ALL");
  const before = performance.now();
  expect(await counter.take("ann", rate)).toBe(0);
  expect(performance.now() - before).toBeLessThan(4_000);
  expect(counter.take("ann", rate)).toBe(0);
  expect(onWarning).toHaveBeenCalledOnce();
});

test("warns with the reason of a Redis that answers and does not count", async () => {
  const own = await start();
  const connection = await connect({ url: own.url });
  const onWarning = vi.fn();
  const counter = createRedisRateCounter(connection, { ...patient, onWarning });
  await connection.client.config("SET", "maxmemory", "1");
  expect(await counter.take("ann", rate)).toBe(0);
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^Redis does not count requests \(OOM .*\): each process counts alone until it does$/),
  );
});
