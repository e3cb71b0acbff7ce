// Durations as people read them.
import { expect, it } from "vitest";
import { formatAge, formatDuration } from "./durations.ts";

it.each([
  [0, "0 ms"],
  [0.4204, "420 µs"],
  [0.9999, "1.0 ms"],
  [12.41, "12.4 ms"],
  [99.96, "100 ms"],
  [999.6, "1.0 s"],
  [59_960, "1 min"],
  [Number.NaN, "–"],
])("formats a duration of %s ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [3_600_000, "1 h"],
  [12_000_000, "3 h 20 min"],
  [432_000_000, "5 d"],
  [-50, "0 s"],
])("formats an age of %s ms as %s", (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});
