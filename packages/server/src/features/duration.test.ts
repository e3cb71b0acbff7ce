import { expect, expectTypeOf, it } from "vitest";
import { type Duration, toMs } from "./duration.ts";

it.each<[Duration, number]>([
  [0, 0],
  [1.2, 2],
  ["250ms", 250],
  ["30 s", 30_000],
  ["1 second", 1_000],
  ["90m", 5_400_000],
  ["5 min", 300_000],
  ["1.5 hours", 5_400_000],
  ["1h", 3_600_000],
  ["2 days", 172_800_000],
  ["1d", 86_400_000],
])("%j is a duration of %i ms", (duration, ms) => {
  expect(toMs(duration)).toBe(ms);
});

it.each([
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "2",
  "days",
  "2  days",
  "-2 days",
  "2 constructor",
  "2 weeks",
  "1e3 s",
  undefined,
  {},
])("rejects %j as a duration", (value) => {
  expect(() => toMs(value as Duration)).toThrow(/^a duration of 0 ms or more expected, such as .*"2 days", got /);
});

it("the compiler accepts the units that are read", () => {
  expectTypeOf<"2 days">().toExtend<Duration>();
  expectTypeOf<"90m">().toExtend<Duration>();
  expectTypeOf<"2 weeks">().not.toExtend<Duration>();
  expectTypeOf<"soon">().not.toExtend<Duration>();
});
