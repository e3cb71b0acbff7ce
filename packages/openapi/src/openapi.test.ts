import type { JsonObject } from "@lethe/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openapi } from "./index.ts";
import { connectApi, sendJson, specOf, startApi, type TestApi, textOf } from "./testing/api.ts";

const baseUrl = "https://api.example/v1";
const get = { get: { operationId: "read" } };
const path = (name: string) => ({ name, in: "path", required: true, schema: { type: "string" } });

let api: TestApi;
beforeAll(async () => {
  api = await startApi((res, { url }) => {
    if (url.startsWith("/pets/missing")) return sendJson(res, { message: "no such pet", got: "key-123456" }, 404);
    if (url.startsWith("/wrong")) return sendJson(res, { id: "text" });
    if (url.startsWith("/away")) return res.writeHead(302, { location: "http://127.0.0.1:1/steal" }).end();
    if (url.startsWith("/here")) return res.writeHead(302, { location: "/pets/1" }).end();
    if (url.startsWith("/slow")) return undefined;
    if (url.startsWith("/large")) return res.end("x".repeat(5_000));
    if (url.startsWith("/image")) return res.writeHead(200, { "content-type": "image/png" }).end("png");
    if (url.startsWith("/text")) return res.writeHead(200, { "content-type": "text/plain" }).end("hello");
    if (url.startsWith("/binary")) return res.writeHead(200, { "content-type": "application/pdf" }).end("pdf");
    if (url.startsWith("/nothing")) return res.writeHead(204).end();
    return sendJson(res, { id: 1 });
  });
});
afterAll(() => api.close());

function lastRequest() {
  const request = api.requests.at(-1);
  if (!request) throw new Error("the API got no request");
  return request;
}

describe("the tools of a spec", () => {
  it("a tool has the name, texts, schemas and hints of its operation", async () => {
    const pet = {
      type: "object",
      properties: { id: { type: "integer" }, parent: { $ref: "#/components/schemas/Pet" } },
    };
    const spec = specOf(
      {
        "/pets/{id}": {
          parameters: [path("id")],
          get: {
            ...{ operationId: "get pet", summary: "A pet", description: "Reads a pet." },
            responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } } } },
          },
          delete: { operationId: "dropPet" },
        },
      },
      { components: { schemas: { Pet: pet } } },
    );
    const client = await connectApi(spec, { baseUrl, include: "all" });
    const [read, drop] = await client.listTools();
    expect(read).toMatchObject({ name: "api__get_pet", title: "A pet", description: "Reads a pet." });
    expect(read?.annotations).toEqual({ readOnlyHint: true });
    expect(read?.inputSchema).toMatchObject({ required: ["id"], additionalProperties: false });
    expect(read?.outputSchema).toMatchObject({ type: "object", $defs: { Pet: { type: "object" } } });
    expect(drop?.annotations).toEqual({ idempotentHint: true, destructiveHint: true });
    await client.close();
  });

  it("by default only operations that read are served, and the others are reported", () => {
    const served = openapi(specOf({ "/a": { ...get, post: { operationId: "write" } } }), { baseUrl });
    expect(served.tools).toEqual(["read"]);
    expect(served.skipped).toEqual([{ operation: "write", reason: "POST may change data (include selects it)" }]);
  });

  it("deprecated operations are served only on request", () => {
    const spec = specOf({ "/a": get, "/b": { get: { operationId: "old", deprecated: true } } });
    expect(openapi(spec, { baseUrl }).tools).toEqual(["read"]);
    expect(openapi(spec, { baseUrl, deprecated: true }).tools).toEqual(["read", "old"]);
  });

  it.each([
    [{ operationIds: ["write"] }, ["write"]],
    [{ tags: ["admin"] }, ["drop"]],
    [{ paths: ["GET /**"] }, ["read", "item"]],
    [{ paths: ["/a/*"] }, ["item"]],
    [{ paths: ["* /a/{id}"] }, ["item"]],
  ])("include %j selects %j", (include, tools) => {
    const spec = specOf({
      "/a": { ...get, post: { operationId: "write" }, delete: { operationId: "drop", tags: ["admin"] } },
      "/a/{id}": { get: { operationId: "item", parameters: [path("id")] } },
    });
    expect(openapi(spec, { baseUrl, include }).tools).toEqual(tools);
  });

  it("unknown options and unknown members of a selection are errors", () => {
    const spec = specOf({ "/a": get });
    expect(() => openapi(spec, { baseUrl, inclde: "all" } as object)).toThrow("inclde");
    expect(() => openapi(spec, { baseUrl, include: { tag: ["a"] } as object })).toThrow("tag");
  });

  it("exclude wins over include, and an entry that matches nothing is an error", () => {
    const spec = specOf({ "/a": { ...get, post: { operationId: "write", tags: ["admin"] } } });
    expect(openapi(spec, { baseUrl, include: "all", exclude: { tags: ["admin"] } }).tools).toEqual(["read"]);
    expect(() => openapi(spec, { baseUrl, exclude: { operationIds: ["wirte"] } })).toThrow('no "wirte"');
    expect(() => openapi(spec, { baseUrl, include: { paths: ["/b"] } })).toThrow(
      'no operation of the spec matches "/b"',
    );
    expect(() => openapi(spec, { baseUrl, include: { paths: ["b"] } })).toThrow('a path such as "GET /pets/*"');
  });

  it.each<[string, JsonObject, string]>([
    ["an upload", { requestBody: { required: true, content: { "image/png": {} } } }, "got image/png"],
    [
      "a file in a form",
      {
        requestBody: {
          content: {
            "multipart/form-data": { schema: { properties: { file: { type: "string", format: "binary" } } } },
          },
        },
      },
      'takes a file in "file"',
    ],
    ["unknown credentials", { security: [{ key: [] }] }, "it needs credentials (auth): key"],
    ["a foreign server", { servers: [{ url: "https://evil.example" }] }, "a server of another origin"],
  ])("an operation with %s is skipped with its reason", (_, operation, reason) => {
    const spec = specOf({ "/a": get, "/b": { put: operation } }, { servers: [{ url: baseUrl }] });
    const { tools, skipped } = openapi(spec, { include: "all" });
    expect(tools).toEqual(["read"]);
    expect(skipped).toMatchObject([{ operation: "PUT /b", reason: expect.stringContaining(reason) }]);
  });

  it("arguments of equal names are distinguished by their place", async () => {
    const query = { name: "id", in: "query", schema: { type: "string" } };
    const body = { content: { "application/json": { schema: { type: "object" } } } };
    const operation = {
      operationId: "put",
      parameters: [path("id"), query, { ...query, name: "body" }],
      requestBody: body,
    };
    const client = await connectApi(specOf({ "/pets/{id}": { put: operation } }), { baseUrl: api.url, include: "all" });
    await client.callTool("api__put", { id: "1", query_id: "2", query_body: "3", body: { a: 1 } });
    expect(lastRequest()).toMatchObject({ method: "PUT", url: "/pets/1?id=2&body=3", body: '{"a":1}' });
    await client.close();
  });
});

describe("requests", () => {
  it.each(["..", ".", ""])("the path argument %j is rejected", async (id) => {
    const spec = specOf({ "/pets/{id}/x": { get: { operationId: "read", parameters: [path("id")] } } });
    const client = await connectApi(spec, { baseUrl: api.url });
    const count = api.requests.length;
    const result = await client.callTool("api__read", { id });
    expect([result.isError, api.requests.length]).toEqual([true, count]);
    await client.close();
  });

  it.each(["../../admin", "//evil.example", "a?b#c", "\\\\evil.example", "a/b", "%2e%2e"])(
    "the path argument %j stays one segment",
    async (id) => {
      const spec = specOf({ "/pets/{id}": { get: { operationId: "read", parameters: [path("id")] } } });
      const client = await connectApi(spec, { baseUrl: api.url });
      await client.callTool("api__read", { id });
      expect(lastRequest().url).toBe(`/pets/${encodeURIComponent(id)}`);
      await client.close();
    },
  );

  it("parameters cannot set headers of the connection or of credentials", async () => {
    const header = (name: string) => ({ name, in: "header", schema: { type: "string" } });
    const parameters = ["Authorization", "Host", "Cookie", "Content-Length", "X-Forwarded-For", "X-Own"].map(header);
    const client = await connectApi(specOf({ "/a": { get: { operationId: "read", parameters } } }), {
      baseUrl: api.url,
    });
    const [tool] = await client.listTools();
    expect(tool?.inputSchema.properties).toEqual({ "X-Own": { type: "string" } });
    await client.callTool("api__read", { "X-Own": "1" });
    expect(lastRequest().headers).toMatchObject({ "x-own": "1" });
    const broken = await client.callTool("api__read", { "X-Own": "1\r\nhost: evil" });
    expect(textOf(broken)).toContain("visible ASCII");
    await client.close();
  });

  it("a form and a multipart body contain the properties of the argument", async () => {
    const body = (type: string) => ({ content: { [type]: { schema: { type: "object" } } } });
    const spec = specOf({
      "/form": { post: { operationId: "form", requestBody: body("application/x-www-form-urlencoded") } },
      "/parts": { post: { operationId: "parts", requestBody: body("multipart/form-data") } },
    });
    const client = await connectApi(spec, { baseUrl: api.url, include: "all" });
    await client.callTool("api__form", { body: { a: "x&y", b: [1, 2], c: { d: true } } });
    expect(Object.fromEntries(new URLSearchParams(lastRequest().body))).toEqual({ a: "x&y", b: "2", c: '{"d":true}' });
    await client.callTool("api__parts", { body: { a: "x", b: { c: 1 } } });
    const { body: text, headers } = lastRequest();
    const form = await new Response(text, { headers: { "content-type": headers["content-type"] ?? "" } }).formData();
    expect([...form]).toEqual([
      ["a", "x"],
      ["b", '{"c":1}'],
    ]);
    await client.close();
  });

  it("a redirect is followed within the origin only", async () => {
    const spec = specOf({ "/here": { get: { operationId: "here" } }, "/away": { get: { operationId: "away" } } });
    const client = await connectApi(spec, { baseUrl: api.url });
    expect((await client.callTool("api__here")).structuredContent).toEqual({ id: 1 });
    expect(textOf(await client.callTool("api__away"))).toContain("redirects to another origin");
    await client.close();
  });
});

describe("credentials", () => {
  const securitySchemes = {
    bearer: { type: "http", scheme: "bearer" },
    basic: { type: "http", scheme: "basic" },
    query: { type: "apiKey", in: "query", name: "api_key" },
    header: { type: "apiKey", in: "header", name: "X-Key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
  };
  const components = { securitySchemes };

  it.each([
    ["bearer", "abc", { headers: { authorization: "Bearer abc" } }],
    ["basic", { username: "ü", password: "p" }, { headers: { authorization: "Basic w7w6cA==" } }],
    ["query", "a&b", { url: "/a?api_key=a%26b" }],
    ["header", "abc", { headers: { "x-key": "abc" } }],
    ["cookie", "abc", { headers: { cookie: "sid=abc" } }],
    ["bearer", () => Promise.resolve("made"), { headers: { authorization: "Bearer made" } }],
  ])("the credential of the scheme %s is sent", async (scheme, credential, expected) => {
    const spec = specOf({ "/a": get }, { components, security: [{ [scheme]: [] }] });
    const client = await connectApi(spec, { baseUrl: api.url, auth: { [scheme]: credential } });
    await client.callTool("api__read");
    expect(lastRequest()).toMatchObject(expected);
    await client.close();
  });

  it("a caller cannot replace a credential with a member of an object parameter", async () => {
    const filter = { name: "filter", in: "query", schema: { type: "object" } };
    const own = { name: "api_key", in: "query", schema: { type: "string" } };
    const spec = specOf(
      { "/a": { get: { operationId: "read", parameters: [filter, own] } } },
      { components, security: [{ query: [] }] },
    );
    const client = await connectApi(spec, { baseUrl: api.url, auth: { query: "right" } });
    await client.callTool("api__read", { filter: { api_key: "wrong", a: 1 } });
    expect(lastRequest().url).toBe("/a?a=1&api_key=right");
    expect((await client.callTool("api__read", { api_key: "wrong" })).isError).toBe(true);
    await client.close();
  });

  it("an error of the API is a result with status and body, without the credential", async () => {
    const operation = { operationId: "read", parameters: [path("id")] };
    const spec = specOf({ "/pets/{id}": { get: operation } }, { components, security: [{ query: [] }] });
    const client = await connectApi(spec, { baseUrl: api.url, auth: { query: "key-123456" } });
    const result = await client.callTool("api__read", { id: "missing" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe('The API answered 404:\n{"message":"no such pet","got":"***"}');
    await client.close();
  });

  it("credentials need a base URL of the operator, a known scheme and a fitting value", () => {
    const spec = specOf({ "/a": get }, { components, servers: [{ url: baseUrl }] });
    expect(() => openapi(spec, { auth: { bearer: "x" } })).toThrow("baseUrl is required with auth");
    expect(() => openapi(spec, { baseUrl, auth: { other: "x" } })).toThrow(
      "no such security scheme; it has bearer, basic",
    );
    expect(() => openapi(spec, { baseUrl, auth: { basic: "secret" } })).toThrow("{ username, password } expected");
  });

  it("a function that has no credential refuses the call", async () => {
    const spec = specOf({ "/a": get }, { components, security: [{ bearer: [] }] });
    const client = await connectApi(spec, { baseUrl: api.url, auth: { bearer: () => undefined } });
    expect(textOf(await client.callTool("api__read"))).toContain("no credential of the API for this caller");
    await client.close();
  });
});

describe("responses", () => {
  const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
  const responses = { 200: { content: { "application/json": { schema } } } };
  const paths = ["image", "text", "binary", "nothing", "large", "slow"].map((name) => [
    `/${name}`,
    { get: { operationId: name } },
  ]);
  const spec = specOf({
    ...Object.fromEntries(paths),
    "/right": { get: { operationId: "right", responses } },
    "/wrong": { get: { operationId: "wrong", responses } },
  });

  it.each([
    ["right", { content: [{ type: "text", text: '{"id":1}' }], structuredContent: { id: 1 } }],
    ["image", { content: [{ type: "image", data: "cG5n", mimeType: "image/png" }] }],
    ["text", { content: [{ type: "text", text: "hello" }] }],
    ["binary", { content: [{ type: "resource", resource: { mimeType: "application/pdf", blob: "cGRm" } }] }],
    ["nothing", { content: [{ type: "text", text: "The API answered 204 without a body." }] }],
  ])("the response of /%s becomes content of its type", async (name, expected) => {
    const client = await connectApi(spec, { baseUrl: api.url });
    expect(await client.callTool(`api__${name}`)).toMatchObject(expected);
    await client.close();
  });

  it("a response that does not match the schema of the API is an error with its body", async () => {
    const client = await connectApi(spec, { baseUrl: api.url });
    const { isError, content } = await client.callTool("api__wrong");
    expect(isError).toBe(true);
    expect(content).toMatchObject([{ text: expect.stringContaining("does not match") }, { text: '{"id":"text"}' }]);
    await client.close();
    const lenient = await connectApi(spec, { baseUrl: api.url, outputSchemas: false });
    expect((await lenient.callTool("api__wrong")).structuredContent).toEqual({ id: "text" });
    await lenient.close();
  });

  it("a response beyond the limit of bytes and one beyond the limit of time are errors", async () => {
    const small = await connectApi(spec, { baseUrl: api.url, maxResponseBytes: 4_000 });
    expect(textOf(await small.callTool("api__large"))).toContain("longer than 4000 bytes");
    await small.close();
    const short = await connectApi(spec, { baseUrl: api.url, timeoutMs: 50 });
    expect(textOf(await short.callTool("api__slow"))).toContain("did not answer within 0.05 s");
    await short.close();
  });

  it("a call beyond the limit of concurrent requests fails, and a cancelled call frees its place", async () => {
    const signals: AbortSignal[] = [];
    const waiting: typeof fetch = (_, init) => {
      return new Promise((_resolve, reject) => {
        const { signal } = init ?? {};
        if (!signal) return;
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const client = await connectApi(spec, { baseUrl: api.url, maxConcurrent: 1, fetch: waiting });
    const controller = new AbortController();
    const first = client.callTool("api__slow", {}, { signal: controller.signal });
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    expect(textOf(await client.callTool("api__slow"))).toContain("too many requests");
    controller.abort();
    await expect(first).rejects.toThrow();
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
    const next = new AbortController();
    const second = client.callTool("api__slow", {}, { signal: next.signal });
    await vi.waitFor(() => expect(signals).toHaveLength(2));
    next.abort();
    await expect(second).rejects.toThrow();
    await client.close();
  });

  it("an API that is not reachable is an error without its address", async () => {
    const client = await connectApi(spec, { baseUrl: "http://127.0.0.1:1" });
    const result = await client.callTool("api__text");
    expect([result.isError, textOf(result)]).toEqual([true, "the API cannot be reached"]);
    await client.close();
  });
});
