import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test("doubles the back-off with each failure up to its maximum", () => {
  const waits = [1, 2, 3, 4, 20].map((failures) => backoffMs(failures, { firstMs: 100, maxMs: 500 }, () => 1));
  expect(waits).toEqual([100, 200, 400, 500, 500]);
});

test("randomizes the upper half of the back-off, so that gateways do not retry together", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const full = backoffMs(failures, {}, () => 1);
      const waited = backoffMs(failures, {}, () => random);
      return waited >= full / 2 && waited <= full && full <= 30_000;
    }),
  );
});
