// What holds for any pattern of requests at several processes that count in one store.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSimulatedRates, type SimulatedRates } from "./testing/simulated-rates.ts";

interface Pattern {
  readonly rate: { readonly max: number; readonly windowMs: number };
  readonly processes: number;
  readonly prefetch: boolean;
  /** Of the commands, in turn: to the store, and back. */
  readonly delays: readonly (readonly [number, number])[];
  /** Requests at one process, after a pause. */
  readonly bursts: readonly { pauseMs: number; process: number; count: number; everyMs: number }[];
}

/** Pauses of a part of the window, in which buckets refill and units lapse, and bursts that are larger than the limit. */
const patterns: fc.Arbitrary<Pattern> = fc
  .record({ max: fc.constantFrom(1, 3, 7, 8, 20, 64, 150), windowMs: fc.constantFrom(1_000, 60_000) })
  .chain(({ max, windowMs }) =>
    fc.record({
      rate: fc.constant({ max, windowMs }),
      processes: fc.integer({ min: 1, max: 3 }),
      prefetch: fc.constantFrom(true, true, true, false),
      delays: fc.oneof(
        fc.constant([[0, 0] as const]),
        fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { minLength: 1, maxLength: 5 }),
      ),
      bursts: fc.array(
        fc.record({
          pauseMs: fc.oneof(
            fc.constant(0),
            fc.constantFrom(1 / 64, 1 / 16, 1 / 8, 1 / 4, 1).map((part) => part * windowMs),
            fc.integer({ min: 1, max: windowMs }),
          ),
          process: fc.nat(2),
          count: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constantFrom(Math.ceil(max / 4), max + 1)),
          everyMs: fc.oneof(
            fc.constant(0),
            fc.constantFrom(0.001, 0.01, 0.5).map((part) => (part * windowMs) / max),
          ),
        }),
        { minLength: 1, maxLength: 10 },
      ),
    }),
  );

interface Outcome {
  /** When requests were admitted, in order. */
  readonly admittedAt: readonly number[];
  /** Units in the bucket each time a request was rejected. */
  readonly unitsAtRejections: readonly number[];
  readonly waits: readonly number[];
  readonly rates: SimulatedRates;
}

async function run({ rate, processes, prefetch, delays, bursts }: Pattern): Promise<Outcome> {
  let command = 0;
  const next = () => delays[command++ % delays.length] ?? ([0, 0] as const);
  const rates = createSimulatedRates({ processes, prefetch, delays: next });
  const [admittedAt, unitsAtRejections, waits]: number[][] = [[], [], []];
  const settled = (waitMs: number) => {
    if (waitMs === 0) return void admittedAt?.push(rates.clock.now());
    waits?.push(waitMs);
    unitsAtRejections?.push(rates.unitsOf("ann", rate));
  };
  for (const { pauseMs, process, count, everyMs } of bursts) {
    await rates.advance(pauseMs);
    for (let sent = 0; sent < count; sent += 1) {
      const wait = rates.counters[process % processes]?.take("ann", rate) ?? 0;
      if (typeof wait === "number") settled(wait);
      else void wait.then(settled);
      if (everyMs > 0) await rates.advance(everyMs);
    }
  }
  await rates.advance(1_000);
  const sent = bursts.reduce((sum, { count }) => sum + count, 0);
  expect((admittedAt?.length ?? 0) + (waits?.length ?? 0)).toBe(sent);
  return { admittedAt: admittedAt ?? [], unitsAtRejections: unitsAtRejections ?? [], waits: waits ?? [], rates };
}

/** How long a reply travels at most: what the store has granted arrives that much later. */
function slowestReply({ delays }: Pattern): number {
  return Math.max(...delays.map(([, back]) => back));
}

test("all processes together admit at most `max` requests at once, and the rate after that", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(patterns, async (pattern) => {
      const { max, windowMs } = pattern.rate;
      const { admittedAt } = await run(pattern);
      for (const [first, from] of admittedAt.entries()) {
        for (let last = first; last < admittedAt.length; last += 1) {
          const ms = (admittedAt[last] ?? 0) - from + slowestReply(pattern);
          const most = max + (ms * max) / windowMs;
          if (last - first + 1 > most + 1e-6) throw new Error(`${last - first + 1} requests in ${ms} ms, not ${most}`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("a request is rejected only while the store has no unit for it, with the time until it has one", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(patterns, async (pattern) => {
      const { max, windowMs } = pattern.rate;
      const { unitsAtRejections, waits } = await run(pattern);
      // While a reply travels, the bucket refills. Waits are whole ms.
      const refilled = ((slowestReply(pattern) + 1) * max) / windowMs;
      for (const units of unitsAtRejections) expect(units).toBeLessThan(1 + refilled + 1e-6);
      for (const waitMs of waits) {
        expect(waitMs).toBeGreaterThan(0);
        expect(waitMs).toBeLessThanOrEqual(Math.ceil(windowMs / max) + slowestReply(pattern));
      }
    }),
    { numRuns: 100 },
  );
});

test("a caller that was silent for a window may send `max` requests at once, at any process", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(patterns, async (pattern) => {
      const { rate, processes } = pattern;
      const { rates } = await run(pattern);
      await rates.advance(rate.windowMs);
      const takes = Array.from({ length: rate.max + 1 }, () => rates.counters[processes - 1]?.take("ann", rate));
      await rates.advance(1_000);
      const waits = await Promise.all(takes);
      expect(waits.filter((ms) => ms === 0).length).toBeGreaterThanOrEqual(rate.max);
    }),
    { numRuns: 50 },
  );
});
