import fc from "fast-check";
import { expect, test } from "vitest";
import { findText } from "./find-text.ts";

test("finds a text of any length at the same position as indexOf", () => {
  const letters = fc.array(fc.constantFrom("a", "b"), { maxLength: 200 }).map((list) => list.join(""));
  const repeated = fc.tuple(letters, fc.integer({ min: 0, max: 60 })).map(([text, times]) => text + "ab".repeat(times));
  fc.assert(
    fc.property(letters, repeated, letters, fc.nat(100), (before, wanted, after, from) => {
      for (const text of [before + wanted + after, before + after]) {
        expect(findText(text, wanted, from)).toBe(text.indexOf(wanted, from));
      }
    }),
  );
});
