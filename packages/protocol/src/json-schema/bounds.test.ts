import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { checkSchemaBounds, defaultDialect } from "./bounds.ts";

const check = (schema: JsonObject) => () => checkSchemaBounds(schema);

describe("checkSchemaBounds", () => {
  it.each([
    defaultDialect,
    `${defaultDialect}#`,
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
  ])("checkSchemaBounds accepts the dialect %s (A-50)", ($schema) => {
    expect(check({ $schema, type: "object" })).not.toThrow();
  });

  it.each(["http://json-schema.org/draft-04/schema#", "https://example.com/dialect", "", 7, null])(
    "the dialect %j is refused by name (A-50)",
    ($schema) => {
      expect(check({ properties: { a: { $schema } } })).toThrow(
        `$schema at /properties/a must name draft 2020-12, 2019-09 or 07 of JSON Schema, got ${JSON.stringify($schema)}`,
      );
    },
  );

  it.each([
    { $ref: "#" },
    { $ref: "#/$defs/a", $defs: { a: {} } },
    { $ref: "#anchor", $defs: { a: { $anchor: "anchor" } } },
    { $dynamicRef: "#node" },
    { $id: "https://example.com/root.json", $ref: "https://example.com/root.json#/$defs/a", $defs: { a: {} } },
    { $id: "https://example.com/root.json", $ref: "a.json", $defs: { a: { $id: "a.json" } } },
    { $ref: "a.json", $defs: { a: { $id: "a.json" } } },
    { $ref: "urn:a", $defs: { a: { $id: "urn:a" } } },
  ])("checkSchemaBounds accepts %j, whose references stay inside the schema (A-51)", (schema) => {
    expect(check(schema as JsonObject)).not.toThrow();
  });

  it.each([
    "http://127.0.0.1:9/canary.json",
    "https://json-schema.org/draft/2020-12/schema",
    "other.json",
    "//host/x",
    "file:///etc/passwd",
    "http://[",
  ])("checkSchemaBounds rejects a reference to %s (A-51)", (reference) => {
    const place = { properties: { a: { anyOf: [{}, { $ref: reference }] } } };
    expect(check(place)).toThrow(`$ref at /properties/a/anyOf/1 leads out of the schema, to "${reference}"`);
    expect(check({ $dynamicRef: reference })).toThrow("$dynamicRef at the root leads out of the schema");
  });

  it("a reference is relative to the nearest $id", () => {
    const inner = { $id: "https://other.example/dir/", $ref: "a.json" };
    expect(check({ $id: "https://example.com/", $defs: { a: { $id: "a.json" }, inner } })).toThrow("leads out");
  });

  it("a property named $ref and a $ref inside data are not references", () => {
    expect(check({ properties: { $ref: { type: "string" } }, default: { $ref: "http://x/" } })).not.toThrow();
  });

  it("checkSchemaBounds applies custom limits (A-52)", () => {
    expect(() => checkSchemaBounds({ items: { items: {} } }, { maxDepth: 1 })).toThrow("deeper than 1 levels");
  });

  it("any JSON object passes or throws an Error, and is not changed (A-53)", () => {
    const keyword = fc.constantFrom("$id", "$ref", "$schema", "items", "properties", "allOf", "$defs", "a");
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
      const leaf = fc.oneof(fc.webUrl(), fc.string());
      const value = fc.oneof({ maxDepth: 3 }, leaf, tie("schema"), fc.array(tie("schema"), { maxLength: 2 }));
      return { schema: fc.dictionary(keyword, value, { maxKeys: 4 }) };
    });
    fc.assert(
      fc.property(schema, (value) => {
        const before = JSON.stringify(value);
        try {
          checkSchemaBounds(value);
        } catch (error) {
          expect((error as Error).message).toMatch(/^\$/);
        }
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
});
