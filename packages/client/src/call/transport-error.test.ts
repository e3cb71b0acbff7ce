import { expect, test } from "vitest";
import { excerptOf } from "./transport-error.ts";

test("an excerpt is one quoted line of at most 80 characters without control characters", () => {
  expect(excerptOf("")).toBe("nothing");
  expect(excerptOf('a"\n\u001b[2J')).toBe('"a\\"\\n\\u001b[2J"');
  expect(excerptOf("\u009b2J\u202e\u2028")).toBe('"\\u009b2J\\u202e\\u2028"');
  expect(excerptOf("a".repeat(81))).toBe(`"${"a".repeat(80)}..."`);
});
