import type { JsonObject } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { fetchSpec, openapi, parseSpec } from "./index.ts";
import { connectApi, specOf } from "./testing/api.ts";

const baseUrl = "https://api.example";
const bodyOf = (schema: unknown) => ({ content: { "application/json": { schema } } });

/** The reason why the only operation with this body schema is not served. */
function problemOf(schema: unknown, schemas: JsonObject = {}): string | undefined {
  const paths = { "/a": { get: { operationId: "a" }, post: { operationId: "b", requestBody: bodyOf(schema) } } };
  return openapi(specOf(paths, { components: { schemas } }), { baseUrl, include: "all" }).skipped[0]?.reason;
}

describe("a spec with defects", () => {
  it.each<[string, unknown, string]>([
    ["another version", { openapi: "2.0", paths: {} }, 'got "openapi": "2.0"'],
    ["Swagger", { swagger: "2.0", paths: {} }, 'got Swagger "2.0": convert'],
    ["no paths", { openapi: "3.1.0" }, '"paths" must be an object'],
    ["a list", [], "an OpenAPI document (an object) expected"],
    ["nothing to serve", specOf({}), "no operation of the spec can be served"],
    ["an external path", specOf({ "/a": { $ref: "other.yaml#/a" } }), "leads out of the document"],
  ])("a document with %s is an error", (_, spec, message) => {
    expect(() => openapi(spec as JsonObject, { baseUrl })).toThrow(message);
  });

  it("without an absolute server, a base URL is required", () => {
    const spec = specOf({ "/a": { get: {} } }, { servers: [{ url: "/v1" }] });
    expect(() => openapi(spec)).toThrow("baseUrl is required");
    expect(() => openapi(spec, { baseUrl: "ftp://api.example" })).toThrow("an http or https URL");
    expect(() => openapi(spec, { baseUrl: "https://user:pass@api.example" })).toThrow("without user");
  });

  it.each<[string, unknown, string]>([
    ["an external reference", { $ref: "https://evil.example/schema.json" }, "leads out of the document"],
    ["a reference to nothing", { $ref: "#/components/schemas/None" }, "leads nowhere"],
    ["a reference to a prototype", { $ref: "#/components/schemas/constructor/name" }, "leads nowhere"],
    ["a reference that is a number", { $ref: 1 }, "$ref must be a string"],
    ["a reference with invalid encoding", { $ref: "#/components/%E0" }, "not valid percent-encoding"],
    ["a schema that is text", { properties: { a: "text" } }, "a schema must be an object, got a string"],
    ["a dynamic reference", { $dynamicRef: "#x" }, "$dynamicRef is not supported"],
  ])("an operation with %s is skipped", (_, schema, reason) => {
    expect(problemOf(schema)).toContain(reason);
  });

  it("references that lead to each other end", () => {
    const parameters = { a: { $ref: "#/components/parameters/b" }, b: { $ref: "#/components/parameters/a" } };
    const paths = { "/a": { get: {} }, "/b": { get: { parameters: [{ $ref: "#/components/parameters/a" }] } } };
    const { skipped } = openapi(specOf(paths, { components: { parameters } }), { baseUrl });
    expect(skipped).toEqual([{ operation: "GET /b", reason: "more than 32 references lead to each other" }]);
  });

  it("a schema that refers to itself is served, and its values are checked at every level", async () => {
    const Node = {
      type: "object",
      properties: { next: { $ref: "#/components/schemas/Node" }, id: { type: "integer" } },
    };
    const requestBody = bodyOf({ $ref: "#/components/schemas/Node" });
    const spec = specOf({ "/a": { post: { operationId: "a", requestBody } } }, { components: { schemas: { Node } } });
    const client = await connectApi(spec, { baseUrl, include: "all", fetch: async () => new Response("ok") });
    expect((await client.callTool("api__a", { body: { next: { next: { id: 1 } } } })).isError).not.toBe(true);
    expect((await client.callTool("api__a", { body: { next: { next: { id: "x" } } } })).isError).toBe(true);
    await client.close();
  });

  it("schemas that multiply or nest without end are skipped", () => {
    const names = Array.from({ length: 400 }, (_, index) => `S${index}`);
    const long = { description: "x".repeat(1_000) };
    const schemas = Object.fromEntries(
      names.map((name, index) => [name, { ...long, anyOf: [{ $ref: `#/components/schemas/S${(index + 1) % 400}` }] }]),
    );
    expect(problemOf({ $ref: "#/components/schemas/S0" }, schemas)).toContain("more than 262144 characters");
    let nested: JsonObject = {};
    for (let depth = 0; depth < 100; depth++) nested = { items: nested };
    expect(problemOf(nested)).toContain("nested deeper than 48 levels");
    let example: unknown = 1;
    for (let depth = 0; depth < 20_000; depth++) example = [example];
    expect(problemOf({ default: example })).toContain("nested too deeply");
  });

  it("equal and illegal operation ids become different legal names", () => {
    const ids = ["a", "a", "a_2", "__proto__", "constructor", "../x y", "é", "x".repeat(300)];
    const paths = Object.fromEntries(ids.map((operationId, index) => [`/${index}`, { get: { operationId } }]));
    const { tools } = openapi(specOf({ ...paths, "/pets/{id}": {}, "/end": { get: {} } }), { baseUrl });
    expect(new Set(tools).size).toBe(9);
    expect(tools.slice(0, 7)).toEqual(["a", "a_2", "a_2_2", "proto", "constructor", ".._x_y", "operation"]);
    expect(tools.every((name) => /^[A-Za-z0-9_.-]{1,64}$/.test(name))).toBe(true);
  });

  it("parameters and schemas with the names of prototype members work as any other", async () => {
    const parameters = ["__proto__", "constructor", "toString"].map((name) => {
      return { name, in: "query", schema: { $ref: `#/components/schemas/${name}` } };
    });
    const schemas = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
    );
    const spec = specOf({ "/a": { get: { operationId: "a", parameters } } }, { components: { schemas } });
    const urls: string[] = [];
    const answer: typeof fetch = async (url) => {
      urls.push(String(url));
      return new Response("ok");
    };
    const client = await connectApi(spec, { baseUrl, fetch: answer });
    await client.callTool("api__a", { __proto___: "1", constructor_: "2", toString_: "3" });
    expect(urls).toEqual(["https://api.example/a?__proto__=1&constructor=2&toString=3"]);
    await client.close();
  });

  it("more operations than the limit are an error that asks for a selection", () => {
    const paths = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`/${index}`, { get: {} }]));
    expect(() => openapi(specOf(paths), { baseUrl })).toThrow("600 operations are selected, 500 are allowed");
    expect(openapi(specOf(paths), { baseUrl, maxOperations: 600 }).tools).toHaveLength(600);
  });
});

describe("the text of a spec", () => {
  it("parseSpec reads JSON and YAML", () => {
    expect(parseSpec('{ "openapi": "3.1.0" }')).toEqual({ openapi: "3.1.0" });
    expect(parseSpec("openapi: 3.0.3\npaths:\n  /a: {}\n")).toEqual({ openapi: "3.0.3", paths: { "/a": {} } });
  });

  it.each([
    ["{ not json", "neither JSON nor YAML"],
    ["just text", "the spec must be an object, got a string"],
    [" ".repeat(101), "longer than 100 bytes"],
    ["é".repeat(60), "longer than 100 bytes"],
  ])("parseSpec rejects %j", (text, message) => {
    expect(() => parseSpec(text, { maxBytes: 100 })).toThrow(message);
  });

  it("YAML aliases that multiply are rejected", () => {
    const levels = "bcdefghi".split("").map((name, index) => {
      const previous = `*${"abcdefgh"[index]}`;
      return `${name}: &${name} [${Array(9).fill(previous).join(",")}]`;
    });
    expect(() => parseSpec(`a: &a [x,x,x,x,x,x,x,x,x]\n${levels.join("\n")}\n`)).toThrow("neither JSON nor YAML");
  });

  it("a key __proto__ in YAML changes no prototype", () => {
    const spec = parseSpec("openapi: 3.1.0\n__proto__:\n  polluted: true\n");
    expect((spec as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("fetchSpec rejects an error status, a long body and a URL that is not reachable", async () => {
    const answer = (response: Response) => ({ fetch: async () => response });
    const url = "https://api.example/spec?key=secret";
    await expect(fetchSpec(url, answer(new Response("", { status: 403 })))).rejects.toThrow(
      "the spec at https://api.example/spec cannot be loaded: HTTP 403",
    );
    const long = { ...answer(new Response("x".repeat(200))), maxBytes: 100 };
    await expect(fetchSpec(url, long)).rejects.toThrow("longer than 100 bytes");
    await expect(fetchSpec("http://127.0.0.1:1/")).rejects.toThrow("cannot be loaded");
  });
});
