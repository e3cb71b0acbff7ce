// Tests of sampleArguments: its results match the schema, and hostile schemas fail fast.
import { Validator } from "@cfworker/json-schema";
import type { JsonObject } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleArguments } from "./sample-arguments.ts";

const range = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 20 }));
const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>({}, { type: "boolean" }, { type: "null" }, { type: ["string", "null"] }, { const: 7 }),
  fc.constantFrom("date", "date-time", "email", "uri", "uuid", "ipv4").map((format) => ({ type: "string", format })),
  fc.nat(30).map((minLength) => ({ type: "string", minLength })),
  fc.nat(3).map((maxLength) => ({ type: "string", maxLength })),
  range.map(([minimum, more]) => ({ type: "integer", minimum, maximum: minimum + more })),
  range.map(([minimum, more]) => ({ type: "integer", exclusiveMinimum: minimum, maximum: minimum + more + 1 })),
  range.map(([minimum, more]) => ({ type: "number", exclusiveMinimum: minimum, exclusiveMaximum: minimum + more + 1 })),
  fc.integer({ min: 1, max: 9 }).map((multipleOf) => ({ type: "integer", multipleOf, minimum: 3 })),
  fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
);
const names = fc.uniqueArray(fc.constantFrom("a", "b", "c", "__proto__"), { maxLength: 3 });
const toObject = (members: readonly [string, JsonObject][]): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(members),
  required: members.map(([name]) => name),
  additionalProperties: false,
});
const { root } = fc.letrec<{ root: JsonObject; any: JsonObject }>((tie) => ({
  root: names
    .chain((list) => fc.tuple(...list.map((name) => fc.tuple(fc.constant(name), tie("any")))))
    .map((members) => toObject(members as [string, JsonObject][])),
  any: fc.oneof(
    { maxDepth: 4 },
    leaf,
    tie("root"),
    fc.tuple(tie("any"), fc.nat(3)).map(([items, minItems]) => ({ type: "array", items, minItems })),
    tie("any").map((one) => ({ anyOf: [one, { type: "null" }] })),
    tie("any").map((one) => ({ oneOf: [one] })),
    tie("any").map((one) => ({ allOf: [one] })),
  ),
}));

describe("sampleArguments", () => {
  it("generates arguments that validate against the schema", () => {
    fc.assert(
      fc.property(root, (schema) => {
        const args = sampleArguments(schema);
        const { valid, errors } = new Validator(structuredClone(schema), "2020-12").validate(args);
        expect(errors).toEqual([]);
        expect(valid).toBe(true);
        expect(sampleArguments(schema)).toEqual(args);
      }),
    );
  });

  it("follows references within the schema and leaves out optional properties", () => {
    const schema = {
      $defs: { Point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
      properties: { at: { $ref: "#/$defs/Point" }, label: { type: "string" } },
      required: ["at"],
    };
    expect(sampleArguments(schema)).toEqual({ at: { x: 1 } });
  });

  const endless = { $defs: { a: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] } } };
  it.each<[string, JsonObject]>([
    ["1000 values", { properties: { a: { type: "array", minItems: 1e9 } }, required: ["a"] }],
    ["10000 characters", { properties: { a: { type: "string", minLength: 1e9 } }, required: ["a"] }],
    ["16 levels", { ...endless, $ref: "#/$defs/a" }],
    ["16 levels", { allOf: [{ $ref: "#" }, { $ref: "#" }] }],
  ])("rejects a schema that requires more than %s", (bound, schema) => {
    expect(() => sampleArguments(schema)).toThrow(bound);
  });
});
