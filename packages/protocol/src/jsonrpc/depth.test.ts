import { expect, it } from "vitest";
import { isDeeperThan } from "./depth.ts";

it("isDeeperThan counts the levels of arrays and objects", () => {
  expect(isDeeperThan(0, 1)).toBe(false);
  expect(isDeeperThan(0, {})).toBe(true);
  expect(isDeeperThan(2, { a: [1, null, "x"] })).toBe(false);
  expect(isDeeperThan(2, { a: [1, { b: 1 }] })).toBe(true);
});

it("isDeeperThan handles a value that is too deep for recursion", () => {
  const value: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  expect(isDeeperThan(1_000, value)).toBe(true);
});
