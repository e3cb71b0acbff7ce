import { expect, it } from "vitest";
import { createBoundedLabel } from "./bounded-label.ts";
import { RejectionCounts } from "./rejections.ts";

it("the log mentions the first rejection at once, and the ones of the next 10 s together", () => {
  const counts = new RejectionCounts();
  expect([0, 1, 9_999].map((now) => counts.add("rate_limited", now))).toEqual([1, 0, 0]);
  expect(counts.add("overloaded", 9_999)).toBe(1);
  expect(counts.add("rate_limited", 10_000)).toBe(3);
});

it("a label takes no more values than its bound, and none that a caller could invent", () => {
  const toLabel = createBoundedLabel(2);
  expect(["a", "b", "c", "a", undefined].map((name) => toLabel(name, true))).toEqual(["a", "b", "other", "a", ""]);
  expect(createBoundedLabel(2)("invented", false)).toBe("other");
});
