import fc from "fast-check";
import { expect, it } from "vitest";
import { growthOf } from "./growth.ts";

const mib = 1024 * 1024;

it("a heap that grows with every measurement counts as growth", () => {
  expect(growthOf(Array.from({ length: 16 }, (_, index) => 20 * mib + index * mib))).toBe(5 * mib);
});

it("a heap that fills during the warm-up and then varies does not count as growth", () => {
  const swing = fc.array(fc.integer({ min: 0, max: 5 * mib }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(swing, (part) => {
      expect(growthOf([1, 2, 3, 4, ...part, ...part].map((bytes) => 100 * mib + bytes))).toBe(0);
    }),
  );
});

it("fewer than eight measurements never count as growth", () => {
  expect(growthOf([1, 2, 3, 4, 5, 6, 1_000_000])).toBe(0);
});
