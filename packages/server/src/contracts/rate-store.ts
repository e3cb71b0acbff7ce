// The contract of RateStore as a test suite.
import type { RateStore } from "../middleware/rate-store.ts";
import { requireEqual, requireEventually, type TestRunner } from "./test-runner.ts";

const rate = { max: 20, windowMs: 600_000 };
const unitMs = rate.windowMs / rate.max;
/** The time that a test may take at most. */
const toleranceMs = 20_000;

/**
 * Defines the tests that every implementation of RateStore must pass. `open` creates an unused store for each test.
 *
 * @example
 * import { createMemoryRateCounter, describeRateStore } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeRateStore({ it: (_, body) => tests.push(body) }, () => createMemoryRateCounter());
 * for (const run of tests) await run();
 */
export function describeRateStore({ it }: TestRunner, open: () => RateStore | Promise<RateStore>): void {
  it("grants what is needed, then the stated share of the rest in advance", async () => {
    const store = await open();
    const granted: number[] = [];
    for (const units of [
      { needed: 4, ahead: 100, share: 1 / 4 },
      { needed: 0, ahead: 2, share: 1 / 4 },
      { needed: 3, ahead: 100, share: 0 },
      { needed: 0, ahead: 100, share: 1 / 8 },
      { needed: 100, ahead: 100, share: 1 },
      { needed: 1, ahead: 1, share: 1 },
    ]) {
      granted.push((await store.reserve("ann", rate, units)).granted);
    }
    requireEqual(granted, [8, 2, 3, 0, 7, 0]);
  });

  it("returns the time until the bucket is full, and until it has a unit", async () => {
    const store = await open();
    const some = await store.reserve("ann", rate, { needed: 5, ahead: 0, share: 0 });
    requireNearly(some.fullInMs, 5 * unitMs);
    requireEqual(some.waitMs, 0);
    const rest = await store.reserve("ann", rate, { needed: 15, ahead: 0, share: 0 });
    requireNearly(rest.fullInMs, rate.windowMs);
    requireNearly(rest.waitMs, unitMs);
    const none = await store.reserve("ann", rate, { needed: 1, ahead: 0, share: 0 });
    requireNearly(none.fullInMs, rate.windowMs);
    requireNearly(none.waitMs, unitMs);
  });

  it("grants concurrent reservations of one caller no more than `max` units together", async () => {
    const store = await open();
    const reservations = await Promise.all(
      Array.from({ length: 10 }, () => store.reserve("ann", rate, { needed: 3, ahead: 3, share: 1 / 2 })),
    );
    requireEqual(
      reservations.reduce((sum, { granted }) => sum + granted, 0),
      rate.max,
    );
  });

  it("keeps a bucket for each caller, and one for all callers without an id", async () => {
    const store = await open();
    const granted: number[] = [];
    for (const callerId of ["ann", "", undefined, "ann", undefined]) {
      granted.push((await store.reserve(callerId, rate, { needed: rate.max, ahead: 0, share: 0 })).granted);
    }
    requireEqual(granted, [20, 20, 20, 0, 0]);
  });

  it("refills the bucket at the rate, up to `max` units", async () => {
    const store = await open();
    const quick = { max: 2, windowMs: 100 };
    await store.reserve("ann", quick, { needed: 2, ahead: 0, share: 0 });
    const reserve = async () => (await store.reserve("ann", quick, { needed: 1, ahead: 0, share: 0 })).granted;
    await requireEventually(reserve, 1);
    const none = { needed: 0, ahead: 0, share: 0 };
    await requireEventually(async () => (await store.reserve("ann", quick, none)).fullInMs, 0);
    requireEqual((await store.reserve("ann", quick, { needed: 100, ahead: 0, share: 0 })).granted, quick.max);
  });
}

/** Throws unless the time is the expected one, less what the test has taken. */
function requireNearly(actual: number, expected: number): void {
  if (actual <= expected && actual > expected - toleranceMs) return;
  throw new Error(`expected at most ${expected} ms and more than ${expected - toleranceMs} ms, got ${actual} ms`);
}
