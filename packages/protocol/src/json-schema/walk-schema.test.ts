import { describe, expect, it } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { type SchemaLimits, type SchemaPlace, walkSchema } from "./walk-schema.ts";

function places(schema: JsonObject, limits: SchemaLimits = {}): SchemaPlace[] {
  const seen: SchemaPlace[] = [];
  walkSchema(schema, limits, (place) => seen.push(place));
  return seen;
}

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { items: nested(depth - 1) };
}

describe("walkSchema", () => {
  it("walkSchema visits every subschema with its pointer", () => {
    const schema = {
      properties: { "a/b~": { items: {} } },
      allOf: [{}, true, { not: {} }],
      items: [{}],
      $defs: { x: { else: {} } },
      additionalProperties: false,
      dependencies: { a: ["b"], c: {} },
    };
    expect(places(schema).map((place) => place.pointer)).toEqual([
      "",
      "/properties/a~1b~0",
      "/properties/a~1b~0/items",
      "/allOf/0",
      "/allOf/2",
      "/allOf/2/not",
      "/items/0",
      "/$defs/x",
      "/$defs/x/else",
      "/dependencies/c",
    ]);
  });

  it("data inside a schema is not a schema", () => {
    const data = { properties: { a: {} } };
    expect(places({ const: data, default: data, enum: [data], examples: [data], "x-own": data })).toHaveLength(1);
  });

  it("walkSchema accepts a property with the name of a keyword", () => {
    const [, ...rest] = places({ properties: { items: {}, $ref: {} } });
    expect(rest.map((place) => place.properties)).toEqual([["items"], ["$ref"]]);
  });

  it("only properties lead to a property (B-52)", () => {
    const schema = { properties: { a: { properties: { b: {} }, items: { properties: { c: {} } } } } };
    expect(places(schema).map((place) => place.properties)).toEqual([[], ["a"], ["a", "b"], undefined, undefined]);
  });

  it("a schema within the limits passes, the next level or subschema throws (A-52)", () => {
    expect(places(nested(3), { maxDepth: 3 })).toHaveLength(4);
    expect(() => places(nested(4), { maxDepth: 3 })).toThrow(
      "the schema is nested deeper than 3 levels at /items/items/items/items",
    );
    expect(places({ anyOf: [{}, {}] }, { maxSubschemas: 3 })).toHaveLength(3);
    expect(() => places({ anyOf: [{}, {}, {}] }, { maxSubschemas: 3 })).toThrow("more than 3 subschemas");
  });

  it("a schema that contains itself ends at the limits", () => {
    const cyclic: JsonObject = {};
    cyclic.anyOf = [cyclic, cyclic];
    expect(() => places(cyclic)).toThrow("nested deeper than 64 levels");
  });
});
