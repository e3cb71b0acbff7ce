// Tests of parseComparison.
import { expect, it } from "vitest";
import { exchange, recording } from "../testing/recordings.ts";
import { parseComparison } from "./comparison.ts";

const one = recording({ exchanges: [exchange(1, {})] });

it("parseComparison accepts a comparison that was written as JSON", () => {
  const comparison = { version: 1, script: "s", recordings: [one] };
  expect(parseComparison(JSON.parse(JSON.stringify(comparison)))).toEqual(comparison);
});

it("parseComparison turns a single recording into a comparison", () => {
  expect(parseComparison(one)).toEqual({ version: 1, script: "", recordings: [one] });
});

it.each([
  undefined,
  [],
  {},
  { version: 2, recordings: [] },
  { version: 1 },
  { version: 1, recordings: [{}] },
  { ...one, steps: undefined },
  { ...one, steps: [1] },
  { ...one, exchanges: [{}] },
  { ...one, exchanges: [{ ...exchange(1, {}), response: {} }] },
  { ...one, lines: [{ text: 1 }] },
  { ...one, title: undefined },
  { version: 1, recordings: [one], unavailable: [1] },
])("parseComparison rejects %j", (value) => {
  expect(() => parseComparison(value)).toThrow("expected a comparison or a recording of version 1");
});
