import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorCode } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { HeaderReader } from "./mirrored-headers.ts";
import { checkParamHeaders, type ParamHeader, parseParamHeaders, toParamHeaders } from "./param-headers.ts";

const mismatch = expect.objectContaining({ code: errorCode.headerMismatch });
const annotated = { type: "string", "x-mcp-header": "A" };

function reader(headers: Record<string, string>): HeaderReader {
  return (name) => headers[name];
}

describe("parseParamHeaders", () => {
  it("parseParamHeaders finds annotations through properties, in order (B-52, B-53)", () => {
    const schema = {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        plain: { type: "number" },
        where: { type: "object", properties: { zone: { type: "integer", "x-mcp-header": "Zone.Id" } } },
        method: { type: "boolean", "x-mcp-header": "Method" },
      },
    };
    expect(parseParamHeaders(schema)).toEqual([
      { header: "mcp-param-region", path: ["region"], type: "string" },
      { header: "mcp-param-zone.id", path: ["where", "zone"], type: "integer" },
      { header: "mcp-param-method", path: ["method"], type: "boolean" },
    ]);
  });

  it.each(["", "a b", "a:b", "é", "a\n", "a\u0000", "(a)", 7, null, {}])(
    "parseParamHeaders rejects the annotation %j (B-50)",
    (value) => {
      const schema = { properties: { a: { type: "string", "x-mcp-header": value } } };
      expect(() => parseParamHeaders(schema)).toThrow(
        `x-mcp-header at /properties/a must be an RFC 9110 token, got ${JSON.stringify(value)}`,
      );
    },
  );

  it("parseParamHeaders rejects a header that two properties declare, regardless of case and depth (B-50)", () => {
    const inner = { properties: { b: { type: "string", "x-mcp-header": "a" } } };
    expect(() => parseParamHeaders({ properties: { a: annotated, inner } })).toThrow(
      "x-mcp-header at /properties/inner/properties/b repeats the header of /properties/a",
    );
  });

  it.each(["number", "object", "array", "null", ["string"], ["string", "null"], undefined])(
    "the type %j is refused (B-51)",
    (type) => {
      expect(() => parseParamHeaders({ properties: { a: { ...annotated, type } } })).toThrow(
        "must be on a string, an integer or a boolean",
      );
    },
  );

  it.each([
    { properties: { a: { items: annotated } } },
    { prefixItems: [annotated] },
    { oneOf: [{ properties: { a: annotated } }] },
    { anyOf: [{ properties: { a: annotated } }] },
    { allOf: [{ properties: { a: annotated } }] },
    { not: { properties: { a: annotated } } },
    { if: { properties: { a: annotated } } },
    JSON.parse(`{"then":{"properties":{"a":${JSON.stringify(annotated)}}}}`),
    { else: { properties: { a: annotated } } },
    { $defs: { a: annotated }, properties: { a: { $ref: "#/$defs/a" } } },
    { definitions: { a: annotated } },
    { additionalProperties: annotated },
    { patternProperties: { "^a": annotated } },
    { properties: { a: { contains: { properties: { b: annotated } } } } },
  ])("parseParamHeaders rejects an annotation in %j, which no argument path reaches (B-52)", (schema) => {
    expect(() => parseParamHeaders(schema)).toThrow('must be reachable through "properties" alone');
  });

  it("parseParamHeaders rejects an annotation on the root schema", () => {
    expect(() => parseParamHeaders({ type: "string", "x-mcp-header": "A" })).toThrow(
      "x-mcp-header at the root must be on a property",
    );
  });

  it("a property named x-mcp-header and a default value with that member are not annotations", () => {
    expect(parseParamHeaders({ properties: { "x-mcp-header": { type: "string" } }, default: annotated })).toEqual([]);
  });
});

const declared: readonly ParamHeader[] = [
  { header: "mcp-param-s", path: ["s"], type: "string" },
  { header: "mcp-param-i", path: ["deep", "i"], type: "integer" },
  { header: "mcp-param-b", path: ["b"], type: "boolean" },
];

describe("checkParamHeaders", () => {
  const check = (args: JsonObject | undefined, headers: Record<string, string>) => () =>
    checkParamHeaders(declared, args, reader(headers));

  it("headers that repeat the arguments pass (B-39)", () => {
    const headers = { "mcp-param-s": "a b", "mcp-param-i": "42", "mcp-param-b": "false" };
    expect(check({ s: "a b", deep: { i: 42 }, b: false }, headers)).not.toThrow();
    expect(check({ s: "é" }, { "mcp-param-s": "=?base64?w6k=?=" })).not.toThrow();
    expect(check({ s: "" }, { "mcp-param-s": "" })).not.toThrow();
  });

  it.each(["42", "42.0", "4.2e1", "=?base64?NDI=?="])(
    "the integer 42 matches the header value %s (B-37, B-38, J-43)",
    (value) => {
      expect(check({ deep: { i: 42 } }, { "mcp-param-i": value })).not.toThrow();
    },
  );

  it.each(["", "43", "42.5", "0x2a", "+42", "4 2", "42, 42", "٤٢"])(
    "the integer 42 may not come as %j (B-38)",
    (value) => {
      expect(check({ deep: { i: 42 } }, { "mcp-param-i": value })).toThrow(mismatch);
    },
  );

  it.each(["True", "1", "", "false"])("true does not match the header value %j (B-38)", (value) => {
    expect(check({ b: true }, { "mcp-param-b": value })).toThrow(mismatch);
  });

  it("an integer that lost digits matches nothing (J-43)", () => {
    expect(check({ deep: { i: 2 ** 53 } }, { "mcp-param-i": "9007199254740993" })).toThrow(mismatch);
    expect(check({ deep: { i: 2 ** 53 - 1 } }, { "mcp-param-i": "9007199254740991" })).not.toThrow();
  });

  it("an argument without its header is a mismatch (B-39)", () => {
    expect(check({ s: "a" }, {})).toThrow("mcp-param-s is missing");
    expect(check({ s: "" }, {})).toThrow(mismatch);
    expect(check({ deep: { i: 0 } }, {})).toThrow(mismatch);
  });

  it("a header without its argument is a mismatch (B-39)", () => {
    expect(check(undefined, { "mcp-param-s": "a" })).toThrow(mismatch);
    expect(check({ s: null }, { "mcp-param-s": "null" })).toThrow(mismatch);
    expect(check({ deep: null }, { "mcp-param-i": "" })).toThrow(mismatch);
  });

  it("absent and null arguments require no header (B-39)", () => {
    expect(check(undefined, {})).not.toThrow();
    expect(check({ s: null, deep: [] }, {})).not.toThrow();
  });

  it("an object argument passes the header check unless a header claims to repeat it", () => {
    expect(check({ s: { a: 1 } }, {})).not.toThrow();
    expect(check({ s: { a: 1 } }, { "mcp-param-s": "[object Object]" })).toThrow(mismatch);
  });

  it("undeclared headers are ignored (B-40)", () => {
    expect(check({}, { "mcp-param-other": "\u0000" })).not.toThrow();
  });

  it("broken base64 is a mismatch (B-63)", () => {
    expect(check({ s: "Hello" }, { "mcp-param-s": "=?base64?SGVsbG8?=" })).toThrow(mismatch);
  });

  it("inherited members of the arguments object are not arguments", () => {
    const inherited: ParamHeader = { header: "mcp-param-x", path: ["constructor", "name"], type: "string" };
    expect(() => checkParamHeaders([inherited], {}, reader({ "mcp-param-x": "Object" }))).toThrow(mismatch);
    expect(toParamHeaders([inherited], {})).toEqual({});
  });
});

describe("toParamHeaders", () => {
  it("strings, integers and booleans are written as text (B-60)", () => {
    expect(toParamHeaders(declared, { s: "é", deep: { i: -7 }, b: true, other: "x" })).toEqual({
      "mcp-param-s": "=?base64?w6k=?=",
      "mcp-param-i": "-7",
      "mcp-param-b": "true",
    });
    expect(toParamHeaders(declared, { s: "", deep: { i: -0 } })).toEqual({ "mcp-param-s": "", "mcp-param-i": "0" });
  });

  it("absent and null arguments have no header (B-56)", () => {
    expect(toParamHeaders(declared, { s: null, deep: {} })).toEqual({});
    expect(toParamHeaders(declared, undefined)).toEqual({});
  });

  it.each([2 ** 53, -(2 ** 53), 1e21, 1.5])("toParamHeaders rejects the number %d (B-51, J-43)", (i) => {
    expect(() => toParamHeaders(declared, { deep: { i } })).toThrow(
      expect.objectContaining({ code: errorCode.invalidParams }),
    );
  });

  it("headers that a client writes pass the check of the server", () => {
    const none = fc.constantFrom(null, undefined);
    const args = fc.record({
      s: fc.oneof(fc.string({ unit: "binary" }), none),
      deep: fc.record({ i: fc.oneof(fc.maxSafeInteger(), none) }),
      b: fc.oneof(fc.boolean(), none),
    });
    fc.assert(
      fc.property(args, (value) => {
        const headers = new Headers(toParamHeaders(declared, value));
        checkParamHeaders(declared, value, (name) => headers.get(name) ?? undefined);
      }),
    );
  });
});
