import type { ElicitSchema, FieldSchema } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { readFormContent, whyInvalid } from "./form-content.ts";

describe("readFormContent", () => {
  const schema: ElicitSchema = {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", minimum: 0 },
      verified: { type: "boolean", default: true },
    },
    required: ["name", "age"],
  };

  it("fills missing fields from their defaults (E-88)", () => {
    expect(readFormContent({ age: 3 }, schema)).toEqual({ content: { name: "John Doe", age: 3, verified: true } });
  });

  it("does not search the choices of a field for each of many answers", () => {
    const choices = Array.from({ length: 100 }, (_, index) => `${index}`);
    const search = vi.spyOn(Array.prototype, "includes");
    const problem = whyInvalid(choices, { type: "array", items: { type: "string", enum: choices } });
    const { length } = search.mock.calls;
    search.mockRestore();
    expect([problem, length]).toEqual([undefined, 0]);
  });

  it("drops unknown fields (E-29)", () => {
    const answer = JSON.parse('{"age": 3, "extra": {}, "__proto__": {"verified": false}}');
    expect(readFormContent(answer, schema)).toEqual({ content: { name: "John Doe", age: 3, verified: true } });
  });

  it("names every invalid or missing field and converts no value (E-88)", () => {
    expect(readFormContent({ name: 5, verified: "true" }, schema)).toEqual({
      issues: [
        { field: "name", message: "must be a string" },
        { field: "age", message: "is required" },
        { field: "verified", message: "must be true or false" },
      ],
    });
  });

  it("treats an inherited field as missing", () => {
    const odd: ElicitSchema = {
      type: "object",
      properties: { valueOf: { type: "string" } as FieldSchema & (() => FieldSchema) },
      required: ["valueOf"],
    };
    expect(readFormContent({}, odd)).toEqual({ issues: [{ field: "valueOf", message: "is required" }] });
  });
});

describe("whyInvalid", () => {
  const text: FieldSchema = { type: "string", minLength: 2, maxLength: 3 };
  const titled: FieldSchema = { type: "string", oneOf: [{ const: "a", title: "Aye" }] };
  const several: FieldSchema = { type: "array", items: { enum: ["a", "b"] }, minItems: 1, maxItems: 2 };
  const severalTitled: FieldSchema = { type: "array", items: { anyOf: [{ const: "a", title: "Aye" }] } };

  it.each<[FieldSchema, unknown, string | undefined]>([
    [text, "ab", undefined],
    [text, "👍👍👍", undefined],
    [text, "👍", "must have at least 2 characters"],
    [text, "abcd", "must have at most 3 characters"],
    [text, null, "must be a string"],
    [{ type: "number", minimum: 0, maximum: 1 }, 0.5, undefined],
    [{ type: "number", minimum: 0, maximum: 1 }, -0.1, "must be at least 0"],
    [{ type: "number", minimum: 0, maximum: 1 }, 1.1, "must be at most 1"],
    [{ type: "number" }, "1", "must be a number"],
    [{ type: "integer" }, 1.5, "must be a whole number"],
    [{ type: "boolean" }, 1, "must be true or false"],
    [{ type: "string", enum: ["a"] }, "a", undefined],
    [{ type: "string", enum: ["a"] }, "b", "must be one of the choices"],
    [titled, "a", undefined],
    [titled, "Aye", "must be one of the choices"],
    [several, ["a", "b"], undefined],
    [several, [], "must have at least 1 choices"],
    [several, ["a", "b", "a"], "must have at most 2 choices"],
    [several, ["c"], "must be a list of the choices"],
    [several, "a", "must be a list of the choices"],
    [severalTitled, ["a"], undefined],
    [severalTitled, ["Aye"], "must be a list of the choices"],
  ])("checks a value against its field schema: %j: %j → %s (E-86)", (schema, value, message) => {
    expect(whyInvalid(value, schema)).toBe(message);
  });

  it.each<["email" | "uri" | "date" | "date-time", string[], string[]]>([
    ["email", ["a@b", "a.b+c@example.org"], ["a", "a@", "@b", "a b@c", "a@b..c", "a@-b.c", "a@b c"]],
    [
      "uri",
      ["https://example.org/a?b=%20#c", "urn:isbn:1", "mailto:a@b"],
      ["example.org", "//a/b", "http://a b", "a:%2", ":a"],
    ],
    [
      "date",
      ["2024-02-29", "1999-12-31"],
      ["2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "24-01-01", "2024-01-01T"],
    ],
    [
      "date-time",
      ["2024-02-29T12:00:00Z", "2024-01-01t23:59:60.25z", "2024-01-01T00:00:00+05:30"],
      ["2024-01-01T00:00:00", "2024-01-01 00:00:00Z", "2023-02-29T12:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01"],
    ],
  ])("checks values of the format %s (E-86)", (format, right, wrong) => {
    for (const value of right) expect(whyInvalid(value, { type: "string", format })).toBeUndefined();
    for (const value of wrong) expect(whyInvalid(value, { type: "string", format })).toBe(`must be a valid ${format}`);
  });

  it("accepts only dates that exist in the calendar", () => {
    const day = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(day, (date) => {
        expect(whyInvalid(date.toISOString(), { type: "string", format: "date-time" })).toBeUndefined();
        expect(whyInvalid(date.toISOString().slice(0, 10), { type: "string", format: "date" })).toBeUndefined();
      }),
    );
  });

  it("accepts or rejects any value without throwing", () => {
    const schemas: FieldSchema[] = [text, titled, several, { type: "number" }, { type: "boolean" }];
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...schemas), (value, schema) => {
        expect(["string", "undefined"]).toContain(typeof whyInvalid(value, schema));
      }),
    );
  });
});
