import fc from "fast-check";
import { expect, test } from "vitest";
import { median, medianOf, medianRatio, percentile } from "./statistics.ts";

test("the median is the middle value, the mean of the middle two, or nothing", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeUndefined();
});

test("the same number of values lies below the median as above it", () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const middle = median(values) ?? Number.NaN;
      const below = values.filter((value) => value < middle).length;
      const above = values.filter((value) => value > middle).length;
      expect(below).toBeLessThanOrEqual(values.length / 2);
      expect(above).toBeLessThanOrEqual(values.length / 2);
    }),
  );
});

test("a percentile is one of the values, by nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(percentile(hundred, 0.5)).toBe(50);
  expect(percentile(hundred, 0.99)).toBe(99);
  expect(percentile([7], 0.99)).toBe(7);
  expect(percentile([], 0.5)).toBeUndefined();
});

test("a metric that a round could not measure does not count as zero", () => {
  expect(medianOf([{ cpu: 4 }, { cpu: undefined }, { cpu: 2 }], "cpu")).toBe(3);
  expect(medianOf([{ rate: 1 }], "cpu")).toBeUndefined();
});

test("a ratio compares values of the same round, so a slower machine does not change it", () => {
  const floor = [{ rate: 100 }, { rate: 10 }, { rate: 50 }];
  const contender = [{ rate: 50 }, { rate: 5 }, { rate: 25 }];
  expect(medianRatio(contender, floor, "rate")).toBe(0.5);
});

test("the ratio to an unmeasured baseline is undefined", () => {
  expect(medianRatio([{ rate: 50 }], [], "rate")).toBeUndefined();
  expect(medianRatio([{ rate: 50 }], [{ rate: 0 }], "rate")).toBeUndefined();
});
