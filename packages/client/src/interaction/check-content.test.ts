import type { ElicitSchema } from "@lethe/protocol";
import { expect, test, vi } from "vitest";
import { checkContent } from "./check-content.ts";
import { type FormContent, fillDefaults } from "./fill-defaults.ts";

const schema: ElicitSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, maxLength: 3 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    share: { type: "number" },
    agrees: { type: "boolean" },
    color: { type: "string", enum: ["red", "green"] },
    size: { type: "string", oneOf: [{ const: "s", title: "Small" }] },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 2 },
    marks: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] } },
  },
  required: ["name"],
};

test.each<FormContent>([
  { name: "a" },
  { name: "äöü", age: 0, share: 0.5, agrees: false, color: "red", size: "s", tags: ["a", "b"], marks: [] },
  { name: "a", unknown: "kept" },
])("accepts the form content %j", (content) => {
  expect(checkContent(schema, content)).toBeUndefined();
});

test.each<[FormContent, RegExp]>([
  [{}, /"name" is missing/],
  [{ name: "" }, /1 to 3 characters/],
  [{ name: "abcd" }, /1 to 3 characters/],
  [{ name: 5 }, /"name" must be a string/],
  [{ name: "a", age: 1.5 }, /"age" must be an integer/],
  [{ name: "a", age: 151 }, /between 0 and 150/],
  [{ name: "a", share: Number.NaN }, /a number/],
  [{ name: "a", agrees: "yes" }, /a boolean/],
  [{ name: "a", color: "blue" }, /one of red, green/],
  [{ name: "a", size: "Small" }, /one of s/],
  [{ name: "a", tags: [] }, /1 to 2 items/],
  [{ name: "a", tags: ["c"] }, /made of a, b/],
  [{ name: "a", marks: "x" }, /a list of strings/],
])("rejects the form content %j: %s", (content, problem) => {
  expect(checkContent(schema, content)).toMatch(problem);
});

test("fills missing fields with their defaults, including false, 0 and the empty list (E-88)", () => {
  const withDefaults: ElicitSchema = {
    type: "object",
    properties: {
      a: { type: "boolean", default: false },
      b: { type: "integer", default: 0 },
      c: { type: "array", items: { enum: ["x"] }, default: [] },
      d: { type: "string", default: "d" },
      e: { type: "string" },
    },
  };
  expect(fillDefaults(withDefaults, { d: "" })).toEqual({ a: false, b: 0, c: [], d: "" });
});

test("does not search the choices of a field for each of many answers", () => {
  const choices = Array.from({ length: 100 }, (_, index) => `${index}`);
  const search = vi.spyOn(Array.prototype, "includes");
  const tags = { type: "array" as const, items: { type: "string" as const, enum: choices } };
  const problem = checkContent({ type: "object", properties: { tags } }, { tags: choices });
  const { length } = search.mock.calls;
  search.mockRestore();
  expect([problem, length]).toEqual([undefined, 0]);
});
