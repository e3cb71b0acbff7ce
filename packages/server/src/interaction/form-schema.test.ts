import type { ElicitSchema } from "@lethe/protocol";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toElicitSchema } from "./form-schema.ts";

const fieldOf = (schema: z.ZodType) => toElicitSchema(z.object({ field: schema })).properties.field;

describe("toElicitSchema", () => {
  it("converts a zod object to a flat form, in which optional fields and fields with a default are not required (E-86)", () => {
    const schema = z.object({
      name: z.string().min(1).max(80).describe("Your name"),
      mail: z.email().optional(),
      age: z.int().min(0),
      score: z.number().default(0.5),
      subscribe: z.boolean(),
      color: z.enum(["red", "green"]),
      sizes: z
        .array(z.enum(["s", "m"]))
        .min(1)
        .max(2),
      due: z.iso.date(),
      at: z.iso.datetime(),
      site: z.url(),
    });
    expect(toElicitSchema(schema)).toEqual({
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 80, description: "Your name" },
        mail: { type: "string", format: "email" },
        age: { type: "integer", minimum: 0 },
        score: { type: "number", default: 0.5 },
        subscribe: { type: "boolean" },
        color: { type: "string", enum: ["red", "green"] },
        sizes: { type: "array", items: { type: "string", enum: ["s", "m"] }, minItems: 1, maxItems: 2 },
        due: { type: "string", format: "date" },
        at: { type: "string", format: "date-time" },
        site: { type: "string", format: "uri" },
      },
      required: ["name", "age", "subscribe", "color", "sizes", "due", "at", "site"],
    });
  });

  it("converts valibot and arktype schemas to the same form (E-86)", () => {
    const expected = {
      type: "object",
      properties: { color: { type: "string", enum: ["blue", "red"] }, count: { type: "integer", minimum: 1 } },
      required: ["color", "count"],
    };
    const byValibot = v.object({
      color: v.picklist(["blue", "red"]),
      count: v.pipe(v.number(), v.integer(), v.minValue(1)),
    });
    expect(toElicitSchema(toStandardJsonSchema(byValibot))).toEqual(expected);
    expect(toElicitSchema(type({ color: "'red'|'blue'", count: "number.integer >= 1" }))).toEqual(expected);
  });

  it.each<[string, z.ZodType, unknown]>([
    ["a literal", z.literal("yes"), { type: "string", enum: ["yes"] }],
    ["a union of literals", z.union([z.literal("a"), z.literal("b")]), { type: "string", enum: ["a", "b"] }],
    [
      "a union of titled literals",
      z.union([z.literal("a").meta({ title: "Aye" }), z.literal("b")]),
      {
        type: "string",
        oneOf: [
          { const: "a", title: "Aye" },
          { const: "b", title: "b" },
        ],
      },
    ],
    ["a literal true", z.literal(true), { type: "boolean" }],
    ["a positive integer", z.int().positive(), { type: "integer", minimum: 1 }],
    ["an integer below", z.int().lt(10), { type: "integer", maximum: 9 }],
    ["a positive number", z.number().positive(), { type: "number", minimum: 0 }],
    ["a pattern, which a form does not know", z.string().regex(/^a/), { type: "string" }],
    ["a format that a form does not know", z.uuid(), { type: "string" }],
  ])("converts %s to a form field (E-86)", (_, schema, expected) => {
    expect(fieldOf(schema)).toEqual(expected);
  });

  it.each<[string, z.ZodType, string]>([
    ["an object", z.object({ street: z.string() }), "object"],
    ["a list of text", z.array(z.string()), "a list"],
    ["a list of objects", z.array(z.object({})), "a list"],
    ["a union of types", z.union([z.string(), z.number()]), "string or number"],
    ["a nullable string", z.string().nullable(), "string or null"],
    ["a union of constrained types", z.union([z.string().min(1), z.number()]), "a schema with anyOf"],
    ["numbers to choose from", z.literal([1, 2]), "a schema with type, enum"],
    ["anything", z.unknown(), "a schema with no keywords"],
    ["a record", z.record(z.string(), z.string()), "object"],
  ])("rejects %s in a form and names its field (E-86)", (_, schema, got) => {
    expect(() => fieldOf(schema)).toThrow(
      `elicitation form: field "field" must be a string, a number, a boolean, a string enum or a list of enum values, got ${got}`,
    );
  });

  it("rejects a schema type without JSON Schema", () => {
    expect(() => fieldOf(z.date())).toThrow("has no JSON Schema");
  });

  it("rejects a form whose root is not an object", () => {
    expect(() => toElicitSchema(z.string())).toThrow('elicitation form: a schema with type "object" expected');
  });

  it("names a field whose default does not fit its own schema (J-75)", () => {
    const schema: ElicitSchema = {
      type: "object",
      properties: { sizes: { type: "array", items: { enum: ["s", "m"] }, minItems: 2, default: ["s"] } },
    };
    expect(() => toElicitSchema(schema)).toThrow(
      'elicitation form: the default of field "sizes" must have at least 2 choices',
    );
  });

  it("keeps a hand-written form as it is, without the keywords that forms do not have", () => {
    const schema: ElicitSchema = {
      type: "object",
      properties: {
        plan: { type: "string", title: "Plan", oneOf: [{ const: "a", title: "A" }], default: "a" },
        tags: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] }, default: [] },
      },
      required: ["plan"],
    };
    const withMore = {
      ...schema,
      additionalProperties: false,
      $schema: "https://json-schema.org/draft/2020-12/schema",
    };
    expect(toElicitSchema(withMore)).toEqual(schema);
  });

  it("sends the legacy enumNames of a field as written, and as titles for a list of choices (J-75)", () => {
    const named = { type: "string" as const, enum: ["a", "b"], enumNames: ["Aye", "Bee"] };
    const { field, list } = toElicitSchema({
      type: "object",
      properties: { field: named, list: { type: "array", items: named } },
    }).properties;
    expect(field).toEqual(named);
    expect(list).toEqual({
      type: "array",
      items: {
        anyOf: [
          { const: "a", title: "Aye" },
          { const: "b", title: "Bee" },
        ],
      },
    });
  });

  it("accepts a form without fields, which asks only for consent", () => {
    expect(toElicitSchema(z.object({}))).toEqual({ type: "object", properties: {} });
  });

  it("converts a schema once", () => {
    const schema = z.object({ a: z.string() });
    expect(toElicitSchema(schema)).toBe(toElicitSchema(schema));
  });
});
