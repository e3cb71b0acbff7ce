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
const members = fc.constantFrom<unknown>("", "long", 0, 1.5, -1, true, null, [], {});
/** As it comes from the wire, where `__proto__` is a member like any other. */
const values = fc
  .oneof(fc.dictionary(name, members), members)
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const closed = { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false };

/** Most values do not fit a schema that was made apart from them; those are passed over. */
const mostlyMissing = { maxSkipsPerRun: 10_000 };

describe("a plain check", () => {
  it("lets nothing pass that the validator refuses", () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        fc.pre(createPlainCheck(schema)?.(value) === true);
        expect(createValidator(schema).validate(value)).toEqual([]);
      }),
      mostlyMissing,
    );
  });

  it("passes whatever fits a flat object of simple members", () => {
    const plain = fc.record({ type: fc.constant("object"), properties: fc.dictionary(name, plainMember) });
    fc.assert(
      fc.property(plain, values, (schema, value) => {
        fc.pre(createValidator(schema).validate(value).length === 0);
        expect(createPlainCheck(schema)?.(value)).toBe(true);
      }),
      mostlyMissing,
    );
  });

  it.each<[unknown, boolean]>([
    [{ a: 1 }, true],
    [{ a: 1.5 }, false],
    [{}, false],
    [{ a: 1, b: 1 }, false],
    [[1], false],
    [null, false],
  ])("knows members that have to be there, that may be there and that may not: %j is %s", (value, isValid) => {
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
