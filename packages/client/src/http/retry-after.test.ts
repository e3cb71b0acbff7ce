import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.parse("2026-07-28T00:00:00Z");

test.each([
  ["0", 0],
  [" 120 ", 120_000],
  ["Tue, 28 Jul 2026 00:00:30 GMT", 30_000],
  ["Mon, 27 Jul 2026 00:00:00 GMT", 0],
  ["-1", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("%j means %j ms", (value, expected) => {
  expect(parseRetryAfter(value, now)).toBe(expected);
});
