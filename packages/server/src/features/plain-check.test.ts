import type { JsonObject } from "@lethe/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createValidator } from "./json-validator.ts";
import { createPlainCheck } from "./plain-check.ts";

const name = fc.constantFrom("a", "b", "__proto__", "constructor", "");
const plainMember = fc.record(
  { type: fc.constantFrom("string", "number", "integer", "boolean"), description: fc.string() },
  { requiredKeys: ["type"] },
);
const otherMember = fc.constantFrom({}, true, { type: "null" }, { type: "string", minLength: 2 }, { const: 1 });
const schemas = fc.record(
  {
    type: fc.constant("object"),
    properties: fc.dictionary(name, fc.oneof({ weight: 9, arbitrary: plainMember }, otherMember)),
    required: fc.array(name, { maxLength: 2 }),
    additionalProperties: fc.constantFrom(true, false, {}, { type: "string" }),
    maxProperties: fc.constantFrom(1, 2),
    title: fc.string(),
  },
  { requiredKeys: ["type"] },
) as fc.Arbitrary<JsonObject>;
const anything = fc.constantFrom<unknown>("", "long", 0, 1.5, -1, true, null, [], {});
const examples: { [type: string]: unknown } = { string: "", number: 1.5, integer: 0, boolean: true };

/** A schema, and a value that fits it more often than not. As from the wire: `__proto__` is a member like any other. */
function withValue(schemas: fc.Arbitrary<JsonObject>): fc.Arbitrary<[JsonObject, unknown]> {
  return schemas.chain((schema) => {
    const members = Object.entries((schema.properties ?? {}) as { [name: string]: { type?: string } });
    const fitting = members.map(([name, { type = "" }]) =>
      fc.tuple(fc.constant(name), fc.constant(examples[type] ?? 0)),
    );
    const other = fc.tuple(name, anything);
    const value = fc
      .tuple(fc.tuple(...fitting), fc.array(other, { maxLength: 1 }))
      .map(([all, more]) => JSON.parse(JSON.stringify(Object.fromEntries([...all, ...more]))) as unknown);
    return fc.tuple(fc.constant(schema), fc.oneof({ weight: 5, arbitrary: value }, anything));
  });
}

const closed = { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false };

describe("a plain check", () => {
  it("a plain check accepts no value that the validator rejects", () => {
    fc.assert(
      fc.property(withValue(schemas), ([schema, value]) => {
        if (createPlainCheck(schema)?.(value)) expect(createValidator(schema).validate(value)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("a plain check accepts valid values of flat objects with simple members", () => {
    const plain = fc.record({ type: fc.constant("object"), properties: fc.dictionary(name, plainMember) });
    fc.assert(
      fc.property(withValue(plain), ([schema, value]) => {
        expect(createPlainCheck(schema)?.(value)).toBe(createValidator(schema).validate(value).length === 0);
      }),
    );
  });

  it.each<[unknown, boolean]>([
    [{ a: 1 }, true],
    [{ a: 1.5 }, false],
    [{}, false],
    [{ a: 1, b: 1 }, false],
    [[1], false],
    [null, false],
  ])("checks required, optional and unknown members: %j is %s", (value, isValid) => {
    expect(createPlainCheck(closed)?.(value)).toBe(isValid);
  });

  it.each([
    { type: "object", minProperties: 1 },
    { type: "object", $ref: "#/$defs/a" },
    { type: ["object", "null"] },
    { type: "object", properties: { a: { type: ["string", "null"] } } },
    { type: "object", properties: { a: { type: "object" } } },
    { type: "object", properties: { a: { type: "string", enum: ["x"] } } },
    { type: "object", additionalProperties: { type: "string" } },
  ])("leaves every other schema to the validator: %j", (schema) => {
    expect(createPlainCheck(schema)).toBeUndefined();
  });
});
