import { McpError } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createServer } from "../create-server.ts";
import { embedded, image, text } from "../features/content.ts";
import { ToolError } from "../features/tool-error.ts";
import type { ServerOptions } from "../server-options.ts";
import { call, callTool } from "../testing/call.ts";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";

const info = { name: "s", version: "1" };
const _meta = { "io.modelcontextprotocol/serverInfo": info };
const returning = (value: unknown) => createServer(info).tool("t", { handler: () => value as string });

it("awaits what a handler returns if it is a promise of another library, such as the query of a database client", async () => {
  // biome-ignore lint/suspicious/noThenProperty: the subject of the test.
  const query = { then: (resolve: (rows: string) => void) => resolve("2 rows") };
  expect(await callTool(returning(query), "t")).toMatchObject({ content: [text("2 rows")] });
  const rejecting = createServer(info).tool("t", { handler: () => Promise.reject(new ToolError("no rows")) });
  expect(await callTool(rejecting, "t")).toMatchObject({ content: [text("no rows")], isError: true });
});

describe("tools/call without an output schema", () => {
  it.each([
    ["text", "hello", { content: [text("hello")] }],
    ["an empty text", "", { content: [text("")] }],
    ["nothing", undefined, { content: [] }],
    ["a block", image(new Uint8Array([1, 2]), "image/png"), { content: [image("AQI=", "image/png")] }],
    ["blocks", [text("a"), embedded("a://b", "c")], { content: [text("a"), embedded("a://b", "c")] }],
    ["an object", { a: 1 }, { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
    ["an array", [1], { content: [text("[1]")], structuredContent: [1] }],
    ["an empty array", [], { content: [text("[]")], structuredContent: [] }],
    ["null", null, { content: [text("null")], structuredContent: null }],
    ["false", false, { content: [text("false")], structuredContent: false }],
    ["0", 0, { content: [text("0")], structuredContent: 0 }],
    [
      "data that has content of its own",
      { content: ["a"] },
      { content: [text('{"content":["a"]}')], structuredContent: { content: ["a"] } },
    ],
    [
      "data that has blocks among other members",
      { content: [], rank: 1 },
      { content: [text('{"content":[],"rank":1}')], structuredContent: { content: [], rank: 1 } },
    ],
    ["a full result", { content: [text("x")], isError: true }, { content: [text("x")], isError: true }],
  ])("tools/call converts %s to a result (E-68)", async (_, value, expected) => {
    expect(await callTool(returning(value), "t")).toEqual({ resultType: "complete", ...expected, _meta });
  });

  it("a tool result keeps its own _meta beside the server's name (A-35)", async () => {
    const result = await callTool(returning({ content: [], _meta: { "a.b/c": 1 } }), "t");
    expect(result._meta).toEqual({ "a.b/c": 1, ..._meta });
  });

  it("a server can be configured to omit its name from results (A-35)", async () => {
    const server = createServer(info, { serverInfo: false }).tool("t", { handler: () => "x" });
    expect(await callTool(server, "t")).toEqual({ resultType: "complete", content: [text("x")] });
  });
});

describe("tools/call with an output schema", () => {
  const output = z.object({ id: z.number(), kept: z.string().default("yes") });
  const server = (run: () => unknown, options?: ServerOptions) =>
    createServer(info, options).tool("t", { outputSchema: output, handler: run as () => { id: number } });

  it("returns data as the output schema converts it, with its JSON as text (E-69)", async () => {
    const expected = { id: 1, kept: "yes" };
    const result = await callTool(
      server(() => ({ id: 1, secret: "x" })),
      "t",
    );
    expect(result).toMatchObject({ structuredContent: expected, content: [text(JSON.stringify(expected))] });
  });

  it("checks a full tool result against the output schema and keeps its content", async () => {
    const result = await callTool(
      server(() => ({ content: [text("x")], structuredContent: { id: 1 } })),
      "t",
    );
    expect(result).toMatchObject({ content: [text("x")], structuredContent: { id: 1, kept: "yes" } });
  });

  it("accepts an isError result without data (E-69)", async () => {
    const result = await callTool(
      server(() => ({ content: [text("x")], isError: true })),
      "t",
    );
    expect(result).toEqual({ resultType: "complete", content: [text("x")], isError: true, _meta });
  });

  it("does not send data that breaks the output schema, and logs the reason (E-69)", async () => {
    const onError = vi.fn();
    const result = await callTool(
      server(() => ({ id: "1" }), { onError }),
      "t",
    );
    const [error, { errorId }] = onError.mock.calls[0] ?? [];
    expect(result).toMatchObject({ isError: true, content: [text(`internal error (id ${errorId})`)] });
    expect(error.message).toContain("does not match its output schema: id: ");
  });

  it("checks data against a JSON Schema in the form that the client receives", async () => {
    const schema = { type: "object", properties: { at: { type: "string" } }, additionalProperties: false };
    const server = createServer(info).tool("t", {
      outputSchema: schema,
      handler: () => ({ at: new Date(0), not: undefined }),
    });
    expect(await callTool(server, "t")).toMatchObject({ structuredContent: { at: "1970-01-01T00:00:00.000Z" } });
  });

  it("accepts any JSON value as structured data (E-67)", async () => {
    const server = createServer(info).tool("t", { outputSchema: z.array(z.number()).nullable(), handler: () => null });
    expect(await callTool(server, "t")).toMatchObject({ structuredContent: null, content: [text("null")] });
  });
});

describe("arguments of tools/call", () => {
  const input = z.object({ id: z.coerce.number().int(), tag: z.string().default("none") });
  const server = createServer(info).tool("t", { inputSchema: input, handler: (args) => args });

  it("gives the tool handler the arguments as the schema converts them", async () => {
    expect(await callTool(server, "t", { id: "7", more: 1 })).toMatchObject({
      structuredContent: { id: 7, tag: "none" },
    });
  });

  it("reports arguments that break the schema to the model, by path (J-9)", async () => {
    const result = await callTool(server, "t", { id: 1.5, tag: 1 });
    expect(result.isError).toBe(true);
    expect(result.content).toEqual([text(expect.stringMatching(/^invalid arguments: id: .+; tag: .+/))]);
  });

  it("accepts JSON Schema as an input schema unchanged (A-53)", async () => {
    const json = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { tree: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, n: { type: "integer" } } } },
      additionalProperties: false,
    };
    const server = createServer(info).tool("t", { inputSchema: json, handler: (args) => args });
    expect(await callTool(server, "t", { tree: { next: { n: 1 } } })).toMatchObject({
      structuredContent: { tree: { next: { n: 1 } } },
    });
    expect(await callTool(server, "t", { tree: { next: { n: 1.5 } } })).toMatchObject({
      content: [text('invalid arguments: tree.next.n: Instance type "number" is invalid. Expected "integer".')],
    });
    expect(await callTool(server, "t", { "a/b": 1 })).toMatchObject({
      content: [text("invalid arguments: a/b: is not allowed here")],
    });
    expect(json).not.toHaveProperty("__absolute_uri__");
  });

  it("a tool without an input schema accepts no arguments (E-67)", async () => {
    const server = returning("x");
    expect(await callTool(server, "t")).toMatchObject({ content: [text("x")] });
    expect(await callTool(server, "t", { a: 1 })).toMatchObject({
      isError: true,
      content: [text("invalid arguments: a: is not allowed here")],
    });
  });

  it("accepts a union of objects as an input schema (E-67)", async () => {
    const input = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b"), n: z.number() }),
    ]);
    const server = createServer(info).tool("t", { inputSchema: input, handler: (args) => args.kind });
    expect(await callTool(server, "t", { kind: "b", n: 1 })).toMatchObject({ content: [text("b")] });
    expect((await call(server, "tools/list")).tools).toMatchObject([{ inputSchema: { type: "object" } }]);
  });

  it.each([
    [{}, '"name" must be a string'],
    [{ name: "t", arguments: [] }, '"arguments" must be an object'],
    [{ name: "no" }, 'unknown tool: "no"'],
    [{ name: "constructor" }, 'unknown tool: "constructor"'],
    [{ name: "__proto__" }, 'unknown tool: "__proto__"'],
  ])("rejects the tools/call params %j with -32602 (E-70)", async (params, message) => {
    const answer = server.dispatch(requestOf("tools/call", params), new RecordingExchange());
    await expect(answer).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(message) });
  });
});

describe("errors of tools", () => {
  const throwing = (error: unknown, options?: ServerOptions) =>
    createServer(info, options).tool("t", {
      handler() {
        throw error;
      },
    });

  it("returns a ToolError as text for the model (E-70)", async () => {
    const result = await callTool(throwing(new ToolError("no such bug")), "t");
    expect(result).toEqual({ resultType: "complete", content: [text("no such bug")], isError: true, _meta });
  });

  it("logs any other error of a tool under the id that the caller gets", async () => {
    const onError = vi.fn();
    const error = new Error("postgres://admin:hunter2@db");
    const result = await callTool(throwing(error, { onError }), "t");
    expect(onError).toHaveBeenCalledExactlyOnceWith(error, {
      errorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: "tools/call",
      name: "t",
    });
    expect(result).toMatchObject({
      isError: true,
      content: [text(`internal error (id ${onError.mock.calls[0]?.[1].errorId})`)],
    });
  });

  it("returns an McpError of a tool as a protocol error", async () => {
    const error = new McpError(-32602, "no", { data: 1 });
    await expect(callTool(throwing(error), "t")).rejects.toBe(error);
  });

  it("reports no error when the caller disconnected", async () => {
    const onError = vi.fn();
    const exchange = new RecordingExchange();
    const server = createServer(info, { onError }).tool("t", {
      handler(_, ctx) {
        exchange.leave();
        ctx.signal.throwIfAborted();
      },
    });
    await callTool(server, "t", {}, { exchange });
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("access to tools", () => {
  const sampler = createServer(info).tool("t", { needs: { sampling: { tools: {} } }, handler: () => "x" });

  it("names a capability that the client did not declare for the tool (A-43)", async () => {
    const refused = { code: -32021, data: { requiredCapabilities: { sampling: { tools: {} } } } };
    await expect(callTool(sampler, "t")).rejects.toMatchObject(refused);
    await expect(callTool(sampler, "t", {}, { capabilities: { sampling: {} } })).rejects.toMatchObject(refused);
    const capabilities = { sampling: { tools: {} } };
    expect(await callTool(sampler, "t", {}, { capabilities })).toMatchObject({ content: [text("x")] });
  });

  it("names all required scopes to a caller that lacks one (G-4)", async () => {
    const server = createServer(info).tool("t", { scopes: ["read", "write"], handler: () => "x" });
    const caller = { id: "a", scopes: ["read"] };
    await expect(callTool(server, "t", {}, { caller })).rejects.toMatchObject({
      data: { requiredScopes: ["read", "write"] },
    });
    const granted = { id: "a", scopes: ["write", "read", "more"] };
    expect(await callTool(server, "t", {}, { caller: granted })).toMatchObject({ content: [text("x")] });
  });

  it("treats anonymous HTTP callers as callers without scopes and checks no scopes on other transports (G-4)", async () => {
    const server = createServer(info)
      .tool("t", { scopes: ["read"], handler: () => "x" })
      .tool("open", { handler: () => "y" });
    const refused = { code: 403, data: { requiredScopes: ["read"] } };
    await expect(callTool(server, "t", {}, { headers: {} })).rejects.toMatchObject(refused);
    expect(await callTool(server, "open", {}, { headers: {} })).toMatchObject({ content: [text("y")] });
    expect(await callTool(server, "t")).toMatchObject({ content: [text("x")] });
  });

  it("answers for a hidden tool exactly as for an unknown one", async () => {
    const server = createServer(info, { visible: ({ name }, caller) => name !== "t" || caller?.id === "root" });
    server.tool("t", { scopes: ["x"], handler: () => "x" });
    const refused = { code: -32602, message: 'unknown tool: "t"' };
    await expect(callTool(server, "t", {}, { caller: { id: "guest" } })).rejects.toMatchObject(refused);
    const caller = { id: "root", scopes: ["x"] };
    expect(await callTool(server, "t", {}, { caller })).toMatchObject({ content: [text("x")] });
  });
});

describe("Mcp-Param headers", () => {
  const input = {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" }, n: { type: "integer" } },
  };
  const server = createServer(info).tool("t", { inputSchema: input, needs: { roots: {} }, handler: () => "x" });
  const capabilities = { roots: {} };

  it.each([
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{}, {}],
    [{ region: null }, {}],
  ])("the arguments %j agree with the headers %j (B-39)", async (args, headers) => {
    const answer = callTool(server, "t", args, { headers, capabilities });
    await expect(answer).resolves.toMatchObject({ resultType: "complete" });
  });

  it.each([
    [{ region: "eu" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "us" }],
    [{}, { "mcp-param-region": "eu" }],
  ])(
    "rejects arguments %j that disagree with headers %j before any other check (B-35, B-39)",
    async (args, headers) => {
      await expect(callTool(server, "t", args, { headers })).rejects.toMatchObject({ code: -32020 });
    },
  );

  it("compares no Mcp-Param headers without HTTP", async () => {
    expect(await callTool(server, "t", { region: "eu" }, { capabilities })).toMatchObject({ content: [text("x")] });
  });
});
