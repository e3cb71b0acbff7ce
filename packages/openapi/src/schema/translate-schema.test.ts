import type { JsonObject } from "@lethe/protocol";
import { expect, it } from "vitest";
import { translateSchema } from "./translate-schema.ts";

const context = { direction: "input", ignoresSiblings: true, refer: () => "A" } as const;

it.each<[string, JsonObject, JsonObject]>([
  ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
  [
    "nullable with enum",
    { type: "string", enum: ["a"], nullable: true },
    { type: ["string", "null"], enum: ["a", null] },
  ],
  [
    "nullable with allOf",
    { allOf: [{ $ref: "#/a" }], nullable: true },
    { anyOf: [{ allOf: [{ $ref: "#/$defs/A" }] }, { type: "null" }] },
  ],
  ["exclusiveMinimum true", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  ["exclusiveMaximum false", { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
  ["example", { type: "string", example: "a" }, { type: "string", examples: ["a"] }],
  ["discriminator", { discriminator: { propertyName: "kind" } }, { discriminator: { propertyName: "kind" } }],
  ["xml and extensions", { xml: {}, externalDocs: {}, "x-mcp-header": "A" }, {}],
  ["a property that is named like an extension", { properties: { "x-a": {} } }, { properties: { "x-a": {} } }],
  ["members beside a reference", { $ref: "#/a", type: "string" }, { $ref: "#/$defs/A" }],
  [
    "readOnly properties",
    { required: ["a", "b"], properties: { a: { readOnly: true }, b: { writeOnly: true } } },
    { required: ["b"], properties: { b: { writeOnly: true } } },
  ],
  ["a pattern of another dialect", { pattern: "(?i)a" }, {}],
])("%s of OpenAPI 3.0 becomes JSON Schema 2020-12", (_, schema, expected) => {
  expect(translateSchema(schema, context)).toEqual(expected);
});

it("OpenAPI 3.1 keeps members beside a reference", () => {
  expect(translateSchema({ $ref: "#/a", minLength: 1 }, { ...context, ignoresSiblings: false })).toEqual({
    $ref: "#/$defs/A",
    minLength: 1,
  });
});

it("the schema of a result has no formats and no writeOnly properties", () => {
  const schema = { required: ["a"], properties: { a: { writeOnly: true }, b: { format: "date-time" } } };
  expect(translateSchema(schema, { ...context, direction: "output" })).toEqual({ required: [], properties: { b: {} } });
});
