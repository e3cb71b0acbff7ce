// Counting in a store that several processes share.
import { expect, test, vi } from "vitest";
import { createSharedRateCounter } from "./shared-rate-counter.ts";
import { createSimulatedRates, type SimulatedRates } from "./testing/simulated-rates.ts";

const perMinute = (max: number) => ({ max, windowMs: 60_000 });
const rtt = (ms: number) => () => [ms / 2, ms / 2] as const;

/** Sends requests of one caller at a steady pace. Counts those admitted, and those admitted without a wait for the store. */
async function send(
  { counters: [counter], advance }: SimulatedRates,
  { rate, count, everyMs }: { rate: ReturnType<typeof perMinute>; count: number; everyMs: number },
): Promise<{ admitted: number; atOnce: number }> {
  const sent = { admitted: 0, atOnce: 0 };
  for (let index = 0; index < count; index += 1) {
    const wait = counter?.take("ann", rate);
    if (wait === 0) sent.atOnce += 1;
    void Promise.resolve(wait).then((ms) => {
      if (ms === 0) sent.admitted += 1;
    });
    await advance(everyMs);
  }
  return sent;
}

test("a busy caller costs about one command per second instead of one per request", async () => {
  const rates = createSimulatedRates({ delays: rtt(2) });
  const sent = await send(rates, { rate: perMinute(60_000), count: 2_400, everyMs: 5 });
  expect(sent.admitted).toBe(2_400);
  expect(rates.commands.length).toBeLessThan(40);
});

test("with `prefetch: false`, each request is one command", async () => {
  const rates = createSimulatedRates({ prefetch: false });
  await send(rates, { rate: perMinute(60_000), count: 100, everyMs: 5 });
  expect(rates.commands).toHaveLength(100);
});

test("callers with one request each cost one command each and leave nothing reserved", async () => {
  const rates = createSimulatedRates();
  const callers = Array.from({ length: 1_000 }, (_, index) => `caller ${index}`);
  const waits = callers.map((id) => rates.counters[0]?.take(id, perMinute(600)));
  expect(new Set(await Promise.all(waits))).toEqual(new Set([0]));
  expect(rates.commands).toEqual(callers);
  expect(rates.unitsOf("caller 7", perMinute(600))).toBe(599);
});

test("the requests of a busy caller do not wait for the store", async () => {
  const rates = createSimulatedRates({ delays: rtt(50) });
  await send(rates, { rate: perMinute(60_000), count: 1_000, everyMs: 5 });
  const sent = await send(rates, { rate: perMinute(60_000), count: 1_000, everyMs: 5 });
  expect(sent.atOnce).toBe(1_000);
});

test("requests that have units are admitted at once while the store does not answer", async () => {
  const rates = createSimulatedRates();
  await send(rates, { rate: perMinute(60_000), count: 800, everyMs: 5 });
  rates.state = "hanging";
  const sent = await send(rates, { rate: perMinute(60_000), count: 100, everyMs: 5 });
  expect(sent.atOnce).toBe(100);
});

test("requests of one caller that arrive together share one command in flight", async () => {
  const rates = createSimulatedRates({ delays: rtt(100) });
  const waits = Array.from({ length: 100 }, () => rates.counters[0]?.take("ann", perMinute(40)));
  await rates.advance(1_000);
  expect((await Promise.all(waits)).filter((wait) => wait === 0)).toHaveLength(40);
  expect(rates.commands).toHaveLength(2);
  expect(rates.mostInFlight).toBe(1);
});

test("limits below 8 are exact: no process holds units that it does not need", async () => {
  const rates = createSimulatedRates({ processes: 3, delays: rtt(4) });
  const waits = Array.from({ length: 30 }, (_, index) => rates.counters[index % 3]?.take("ann", perMinute(7)));
  await rates.advance(100);
  expect((await Promise.all(waits)).filter((wait) => wait === 0)).toHaveLength(7);
});

test("a process holds at most an eighth of the limit for a caller that moves to another process", async () => {
  const rates = createSimulatedRates({ processes: 2 });
  const rate = perMinute(800);
  await send(rates, { rate, count: 200, everyMs: 1 });
  const waits = Array.from({ length: 800 }, () => rates.counters[1]?.take("ann", rate));
  await rates.advance(0);
  const admitted = (await Promise.all(waits)).filter((wait) => wait === 0).length;
  expect(admitted).toBeGreaterThanOrEqual(600 - 100);
  expect(admitted).toBeLessThanOrEqual(603);
});

test("units that a process holds lapse when the bucket would be full without them", async () => {
  const rates = createSimulatedRates();
  const rate = perMinute(800);
  await send(rates, { rate, count: 400, everyMs: 1 });
  await rates.advance(60_000);
  expect(rates.unitsOf("ann", rate)).toBe(800);
  const waits = Array.from({ length: 900 }, () => rates.counters[0]?.take("ann", rate));
  await rates.advance(0);
  expect((await Promise.all(waits)).filter((wait) => wait === 0)).toHaveLength(800);
});

test("a rejected caller learns the remaining wait without another command, and is admitted after it", async () => {
  const rates = createSimulatedRates();
  const rate = { max: 1, windowMs: 1_000 };
  const take = () => rates.counters[0]?.take("ann", rate);
  expect([await take(), await take()]).toEqual([0, 1_000]);
  await rates.advance(300);
  expect(take()).toBe(700);
  expect(rates.commands).toHaveLength(1);
  await rates.advance(700);
  expect(await take()).toBe(0);
});

test("while the store is out of reach, the process counts alone and asks again after `pauseMs`", async () => {
  const onAlone = vi.fn();
  const rates = createSimulatedRates({ pauseMs: 5_000, onAlone });
  const rate = perMinute(5);
  const takes = () => Promise.all(Array.from({ length: 8 }, () => rates.counters[0]?.take("ann", rate)));
  rates.state = "down";
  expect((await takes()).filter((wait) => wait === 0)).toHaveLength(5);
  expect(rates.counters[0]?.take("bob", rate)).toBe(0);
  expect(rates.commands).toHaveLength(1);
  await rates.advance(5_000);
  expect(await rates.counters[0]?.take("ann", rate)).toBeGreaterThan(0);
  expect(rates.commands).toHaveLength(2);
  expect(onAlone).toHaveBeenCalledOnce();
  rates.state = "up";
  await rates.advance(5_000);
  expect((await takes()).filter((wait) => wait === 0)).toHaveLength(5);
});

test("`take` counts alone if the store throws at once", async () => {
  const counter = createSharedRateCounter({
    reserve() {
      throw new Error("not connected");
    },
  });
  expect(await counter.take("ann", perMinute(1))).toBe(0);
  expect(await counter.take("ann", perMinute(1))).toBeGreaterThan(0);
});

test("tracks a limited number of callers and forgets the one idle longest", async () => {
  const rates = createSimulatedRates({ maxCallers: 2 });
  const take = (callerId: string) => rates.counters[0]?.take(callerId, perMinute(1));
  await take("ann");
  await take("bob");
  expect(await take("ann")).toBeGreaterThan(0);
  await take("carol");
  expect(await take("ann")).toBeGreaterThan(0);
  expect(rates.commands).toEqual(["ann", "bob", "carol"]);
  await take("bob");
  expect(rates.commands).toEqual(["ann", "bob", "carol", "bob"]);
});

test("a changed rate applies to the next request", async () => {
  const rates = createSimulatedRates();
  const take = (max: number) => rates.counters[0]?.take("ann", perMinute(max));
  await take(1);
  expect(await take(1)).toBeGreaterThan(0);
  expect(rates.commands).toHaveLength(1);
  await take(2);
  expect(rates.commands).toHaveLength(2);
});
