import { describe, expect, it } from "vitest";
import { createValidator } from "./json-validator.ts";

const issuesOf = (schema: object, value: unknown) => createValidator(schema as never).validate(value);

describe("createValidator", () => {
  it("speaks 2020-12, and by $schema also 2019-09 and 07 (A-50)", () => {
    const tuple = [1, "a"];
    expect(issuesOf({ prefixItems: [{ type: "number" }, { type: "number" }] }, tuple)).toHaveLength(1);
    const old = { items: [{ type: "number" }, { type: "number" }] };
    expect(issuesOf({ $schema: "http://json-schema.org/draft-07/schema#", ...old }, tuple)).toHaveLength(1);
    expect(issuesOf({ $schema: "https://json-schema.org/draft/2019-09/schema", ...old }, tuple)).toHaveLength(1);
  });

  it("names the place of what is wrong, not of what contains it", () => {
    const schema = { properties: { "a/b": { items: { anyOf: [{ type: "string" }, { type: "null" }] } } } };
    const paths = issuesOf(schema, { "a/b": ["x", 1] }).map(({ path }) => path);
    expect(new Set(paths)).toEqual(new Set(["/a~1b/1"]));
  });

  it("leaves the author's schema alone, even a frozen one", () => {
    const schema = Object.freeze({ $ref: "#/$defs/a", $defs: Object.freeze({ a: { type: "string" } }) });
    expect(issuesOf(schema, 1)).not.toHaveLength(0);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["$ref", "$defs"]);
  });

  it("takes a property that an object inherits for absent", () => {
    expect(issuesOf({ required: ["constructor"] }, {})).toHaveLength(1);
  });

  it("bounds arrays whose items must differ, for they are compared with each other (A-52)", () => {
    const unique = { properties: { a: { uniqueItems: true } } };
    const a = Array.from({ length: 5000 }, (_, index) => index);
    expect(issuesOf(unique, { a: [1, 2] })).toEqual([]);
    expect(issuesOf(unique, { a })).toHaveLength(1);
    expect(issuesOf({ const: { uniqueItems: true } }, { uniqueItems: true })).toEqual([]);
  });

  it("refuses what it does not know rather than let everything pass", () => {
    expect(() => createValidator({ properties: { a: { $dynamicRef: "#a" } } })).toThrow(
      "$dynamicRef at /properties/a is not supported",
    );
  });
});

it("a property name with half a surrogate pair is an issue, not an internal error", () => {
  const validator = createValidator({ type: "object", additionalProperties: { type: "number" } });
  for (const value of [1, "x"]) {
    expect(validator.validate({ "\ud800": value })).toEqual([
      { path: "", message: "has a property name that is not valid Unicode" },
    ]);
  }
});
