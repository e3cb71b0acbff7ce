import { describe, expect, it } from "vitest";
import { createValidator } from "./json-validator.ts";

const issuesOf = (schema: object, value: unknown) => createValidator(schema as never).validate(value);

describe("createValidator", () => {
  it("validates JSON Schema 2020-12, and 2019-09 and draft-07 when $schema names them (A-50)", () => {
    const tuple = [1, "a"];
    expect(issuesOf({ prefixItems: [{ type: "number" }, { type: "number" }] }, tuple)).toHaveLength(1);
    const old = { items: [{ type: "number" }, { type: "number" }] };
    expect(issuesOf({ $schema: "http://json-schema.org/draft-07/schema#", ...old }, tuple)).toHaveLength(1);
    expect(issuesOf({ $schema: "https://json-schema.org/draft/2019-09/schema", ...old }, tuple)).toHaveLength(1);
  });

  it("reports the path of the invalid value, not of the object around it", () => {
    const schema = { properties: { "a/b": { items: { anyOf: [{ type: "string" }, { type: "null" }] } } } };
    const paths = issuesOf(schema, { "a/b": ["x", 1] }).map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(["/a~1b/1"]));
  });

  it("does not modify the author's schema, even a frozen one", () => {
    const schema = Object.freeze({ $ref: "#/$defs/a", $defs: Object.freeze({ a: { type: "string" } }) });
    expect(issuesOf(schema, 1)).not.toHaveLength(0);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["$ref", "$defs"]);
  });

  it("treats an inherited property as absent", () => {
    expect(issuesOf({ required: ["constructor"] }, {})).toHaveLength(1);
  });

  it("limits the length of arrays with uniqueItems, whose items are compared in pairs (A-52)", () => {
    const unique = { properties: { a: { uniqueItems: true } } };
    const a = Array.from({ length: 5000 }, (_, index) => index);
    expect(issuesOf(unique, { a: [1, 2] })).toEqual([]);
    expect(issuesOf(unique, { a })).toHaveLength(1);
    expect(issuesOf({ const: { uniqueItems: true } }, { uniqueItems: true })).toEqual([]);
  });

  it("rejects schemas with unsupported keywords instead of accepting every value", () => {
    expect(() => createValidator({ properties: { a: { $dynamicRef: "#a" } } })).toThrow(
      "$dynamicRef at /properties/a is not supported",
    );
  });
});

it("reports a property name with a lone surrogate as an issue, not as an internal error", () => {
  const validator = createValidator({ type: "object", additionalProperties: { type: "number" } });
  for (const value of [1, "x"]) {
    expect(validator.validate({ "\ud800": value })).toEqual([
      { path: "", message: "has a property name that is not valid Unicode" },
    ]);
  }
});
