// The contract of RateCounter as a test suite.
import type { RateCounter } from "../middleware/rate-counter.ts";
import { requireEqual, requireEventually, type TestRunner } from "./test-runner.ts";

const rate = { max: 3, windowMs: 60_000 };

/**
 * Defines the tests that every implementation of RateCounter must pass. `open` creates an unused counter for each test.
 *
 * @example
 * import { createMemoryRateCounter, describeRateCounter } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeRateCounter({ it: (_, body) => tests.push(body) }, () => createMemoryRateCounter());
 * for (const run of tests) await run();
 */
export function describeRateCounter({ it }: TestRunner, open: () => RateCounter | Promise<RateCounter>): void {
  it("admits `max` requests at once and returns the wait in ms for the next", async () => {
    const counter = await open();
    const waits: number[] = [];
    for (let count = 0; count < 4; count++) waits.push(await counter.take("ann", rate));
    requireEqual(waits.slice(0, 3), [0, 0, 0]);
    const [, , , wait = 0] = waits;
    requireEqual(wait > 0 && wait <= 20_000, true);
  });

  it("counts each caller separately, and callers without an id together", async () => {
    const counter = await open();
    const one = { max: 1, windowMs: 60_000 };
    requireEqual([await counter.take("ann", one), await counter.take("bob", one)], [0, 0]);
    requireEqual(await counter.take(undefined, one), 0);
    requireEqual((await counter.take(undefined, one)) > 0, true);
  });

  it("admits a request again after the returned wait", async () => {
    const counter = await open();
    const quick = { max: 1, windowMs: 50 };
    await counter.take("ann", quick);
    await requireEventually(() => counter.take("ann", quick), 0);
  });
}
