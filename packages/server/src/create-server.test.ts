import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createServer } from "./create-server.ts";
import { call, callTool } from "./testing/call.ts";
import { RecordingExchange, requestOf } from "./testing/recording-exchange.ts";

const info = { name: "s", version: "1" };
const run = () => "x";

describe("invalid definitions", () => {
  it.each<[string, () => unknown, string]>([
    [
      "a name twice",
      () => createServer(info).tool("a", { handler: run }).tool("a", { handler: run }),
      'tool "a" is already registered',
    ],
    ["an illegal name (E-66)", () => createServer(info).tool("a b", { handler: run }), 'tool "a b": name: 1 to 128 of'],
    ["a long name (E-66)", () => createServer(info).tool("a".repeat(129), { handler: run }), "name: 1 to 128 of"],
    [
      "input that is no object (E-67)",
      () => createServer(info).tool("a", { inputSchema: { type: "array" }, handler: run }),
      'tool "a": inputSchema: the root must have "type": "object", got "array"',
    ],
    [
      "input without a type (E-67)",
      () => createServer(info).tool("a", { inputSchema: { properties: {} }, handler: run }),
      'tool "a": inputSchema: the root must have "type": "object", got no type',
    ],
    [
      "a reference to the network (A-51)",
      () => createServer(info).tool("a", { outputSchema: { $ref: "http://127.0.0.1:9/x" }, handler: () => 1 }),
      'tool "a": outputSchema: $ref at the root leads out of the schema',
    ],
    [
      "an invalid x-mcp-header (B-52)",
      () =>
        createServer(info).tool("a", {
          inputSchema: { type: "object", properties: { n: { type: "number", "x-mcp-header": "N" } } },
          handler: run,
        }),
      'tool "a": inputSchema: x-mcp-header at /properties/n must be on',
    ],
    [
      "a type that JSON Schema cannot say",
      () => createServer(info).tool("a", { inputSchema: z.object({ d: z.date() }), handler: run }),
      'tool "a": inputSchema: a schema of zod has no JSON Schema',
    ],
    [
      "a relative URI",
      () => createServer(info).resource("a/b", { handler: run }),
      'resource "a/b": uri: an absolute URI',
    ],
    [
      "a template that cannot be matched",
      () => createServer(info).resourceTemplate("a://{x}{y}", { handler: run }),
      'resource template "a://{x}{y}": uriTemplate: nothing tells where {x} ends',
    ],
    [
      "a prompt twice",
      () => createServer(info).prompt("a", { handler: run }).prompt("a", { handler: run }),
      'prompt "a" is already registered',
    ],
    ["a page of nothing", () => createServer(info, { pageSize: 0 }), "pageSize: a positive integer expected, got 0"],
    ["a negative ttl (E-50)", () => createServer(info, { cache: { tools: { ttlMs: -1 } } }), "ttlMs: an integer of 0"],
    [
      "a resource with a ttl that is no whole number (E-50)",
      () => createServer(info).resource("a://b", { cache: { ttlMs: 0.5, cacheScope: "public" }, handler: run }),
      'resource "a://b": cache: ttlMs: an integer of 0 or more expected, got 0.5',
    ],
    [
      "a template with a ttl that is no number (E-50)",
      () =>
        createServer(info).resourceTemplate("a://{x}", {
          cache: { ttlMs: Number.POSITIVE_INFINITY, cacheScope: "public" },
          handler: run,
        }),
      'resource template "a://{x}": cache: ttlMs: an integer of 0 or more expected, got Infinity',
    ],
    [
      "an extension without a prefix (A-27)",
      () => createServer(info).extension("tasks"),
      'extension "tasks": a prefix',
    ],
    [
      "info without a version",
      () => createServer({ name: "s" } as never),
      'createServer: info: option "version": a string expected, got nothing',
    ],
    [
      "a method twice",
      () =>
        createServer(info)
          .method("a/b", () => ({ resultType: "complete" }))
          .method("a/b", () => ({ resultType: "complete" })),
      'method "a/b" is already registered',
    ],
  ])("rejects an invalid definition: %s", (_, define, message) => {
    expect(define).toThrow(message);
  });
});

describe("server/discover", () => {
  it("a server without features serves server/discover (A-13, E-2)", async () => {
    const result = await call(createServer(info, { logging: false, instructions: "be kind" }), "server/discover");
    expect(result).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: {},
      instructions: "be kind",
      ttlMs: 60_000,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": info },
    });
  });

  it("advertises the defined features and the author's own capabilities (E-4)", async () => {
    const server = createServer(info, { capabilities: { experimental: { a: {} }, prompts: { listChanged: false } } })
      .tool("a", { handler: run })
      .resourceTemplate("a://{x}", { complete: { x: () => [] }, handler: run })
      .extension("com.example/x", { on: true });
    expect((await call(server, "server/discover")).capabilities).toEqual({
      logging: {},
      tools: { listChanged: true },
      prompts: { listChanged: false },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      experimental: { a: {} },
      extensions: { "com.example/x": { on: true } },
    });
  });

  it.each([
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "completion/complete",
    "subscriptions/listen",
    "initialize",
    "ping",
    "constructor",
  ])("answers %s with method not found when nothing advertises it (J-31)", async (method) => {
    const answer = call(createServer(info), method, { name: 1 });
    await expect(answer).rejects.toMatchObject({ code: -32601 });
  });

  it("keeps advertising a kind whose features were all removed, with an empty list", async () => {
    const server = createServer(info).tool("a", { handler: run });
    await call(server, "tools/list");
    server.removeTool("a");
    expect(await call(server, "tools/list")).toMatchObject({ tools: [] });
  });
});

describe("lists", () => {
  const many = (count: number, pageSize: number) => {
    const server = createServer(info, { pageSize });
    for (let index = 0; index < count; index++) server.tool(`t${index}`, { handler: run });
    return server;
  };
  const namesOf = (result: { [member: string]: unknown }) =>
    (result.tools as { name: string }[]).map(({ name }) => name);

  it("lists a tool as it was defined (E-65)", async () => {
    const input = { type: "object", properties: {}, "x-unknown": [1], $defs: { a: {} } };
    const options = {
      title: "A",
      description: "does a",
      icons: [{ src: "https://x.example/a.png" }],
      annotations: { readOnlyHint: true },
      _meta: { "a.b/c": 1 },
    };
    const server = createServer(info).tool("a", {
      ...options,
      inputSchema: input,
      outputSchema: z.object({ n: z.number() }),
      handler: () => ({ n: 1 }),
    });
    const { tools, ...rest } = await call(server, "tools/list");
    expect(tools).toEqual([
      { name: "a", ...options, inputSchema: input, outputSchema: expect.objectContaining({ type: "object" }) },
    ]);
    expect(rest).toEqual({
      resultType: "complete",
      ttlMs: 60_000,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": info },
    });
  });

  it("continues a list where the previous page ended, in order of registration (E-45)", async () => {
    const server = many(5, 2);
    const first = await call(server, "tools/list");
    const second = await call(server, "tools/list", { cursor: first.nextCursor });
    const third = await call(server, "tools/list", { cursor: second.nextCursor });
    expect([first, second, third].map(namesOf)).toEqual([["t0", "t1"], ["t2", "t3"], ["t4"]]);
    expect(third).not.toHaveProperty("nextCursor");
    expect(await call(many(4, 2), "tools/list", { cursor: first.nextCursor })).not.toHaveProperty("nextCursor");
  });

  it("a cursor stays valid when features are added and removed", async () => {
    const server = many(5, 2);
    const { nextCursor: cursor } = await call(server, "tools/list");
    server.removeTool("t1");
    server.tool("t5", { handler: run });
    expect(namesOf(await call(server, "tools/list", { cursor }))).toEqual(["t2", "t3"]);
    expect(namesOf(await call(server, "tools/list"))).toEqual(["t0", "t2"]);
  });

  it.each(["", "junk", "dG9vbHM6OQ", "cHJvbXB0czow", 5, null])("rejects the cursor %j with -32602", async (cursor) => {
    await expect(call(many(5, 2), "tools/list", { cursor })).rejects.toMatchObject({ code: -32602 });
  });

  it("lists differ between callers only if features may be hidden, and are private then (E-53)", async () => {
    const visible = vi.fn(({ scopes }, caller) => !scopes || caller !== undefined);
    const server = createServer(info, { visible, cache: { tools: { ttlMs: 5 } } });
    server.tool("a", { handler: run }).tool("b", { scopes: ["x"], handler: run });
    const forNobody = await call(server, "tools/list");
    expect(forNobody).toMatchObject({ ttlMs: 5, cacheScope: "private" });
    expect(namesOf(forNobody)).toEqual(["a"]);
    expect(namesOf(await call(server, "tools/list", {}, { caller: { id: "c" } }))).toEqual(["a", "b"]);
  });
});

describe("change notifications", () => {
  const listen = (server: ReturnType<typeof createServer>, notifications: object) => {
    const exchange = new RecordingExchange();
    const done = server.dispatch(requestOf("subscriptions/listen", { notifications }, { id: 0 }), exchange);
    const heard = () => exchange.sent.map(({ method }) => method.replace("notifications/", ""));
    return { exchange, done, heard };
  };

  it("notifies subscribers once about all changes of one turn (E-14)", async () => {
    const server = createServer(info).tool("a", { handler: run }).resource("a://b", { handler: run });
    const { done, heard, exchange } = listen(server, { toolsListChanged: true, resourceSubscriptions: ["a://b"] });
    await vi.waitFor(() => expect(heard()).toEqual(["subscriptions/acknowledged"]));
    server.tool("b", { handler: run }).tool("c", { handler: run }).removeTool("a");
    server.prompt("p", { handler: run });
    server.resourceUpdated("a://b");
    await vi.waitFor(() => expect(heard()).toHaveLength(3));
    expect(heard().sort()).toEqual(["resources/updated", "subscriptions/acknowledged", "tools/list_changed"]);
    await server.close();
    expect(await done).toMatchObject({
      resultType: "complete",
      _meta: { "io.modelcontextprotocol/subscriptionId": 0 },
    });
    expect(exchange.sent).toHaveLength(3);
  });

  it("rejects watching a resource that the caller cannot read (E-18)", async () => {
    const server = createServer(info, { visible: ({ name }) => name !== "a://hidden" });
    server.resource("a://open", { handler: run }).resource("a://hidden", { handler: run });
    server.resource("a://scoped", { scopes: ["x"], handler: run });
    const exchange = new RecordingExchange({ id: "c", scopes: [] });
    const uris = ["a://open", "a://hidden", "a://scoped", "a://unknown"];
    const request = requestOf("subscriptions/listen", { notifications: { resourceSubscriptions: uris } });
    void server.dispatch(request, exchange);
    await vi.waitFor(() => expect(exchange.sent).toHaveLength(1));
    expect(exchange.sent[0]?.params?.notifications).toEqual({ resourceSubscriptions: ["a://open"] });
    await server.close();
  });

  it("anonymous HTTP callers cannot subscribe to a resource that needs a scope (E-18)", async () => {
    const server = createServer(info)
      .resource("a://open", { handler: run })
      .resource("a://scoped", { scopes: ["x"], handler: run });
    const notifications = { resourceSubscriptions: ["a://open", "a://scoped"] };
    const exchanges = [new RecordingExchange(undefined, {}), new RecordingExchange()];
    for (const exchange of exchanges) {
      void server.dispatch(requestOf("subscriptions/listen", { notifications }), exchange);
      await vi.waitFor(() => expect(exchange.sent).toHaveLength(1));
    }
    expect(exchanges.map(({ sent }) => sent[0]?.params?.notifications)).toEqual([
      { resourceSubscriptions: ["a://open"] },
      notifications,
    ]);
    await server.close();
  });

  it("a closed server rejects requests", async () => {
    const server = createServer(info).tool("a", { handler: run });
    await server.close();
    await expect(callTool(server, "a")).rejects.toMatchObject({ code: -32603, message: "the server is shutting down" });
  });

  it("a copy of a server made with the spread operator keeps every member that an edge uses", async () => {
    const server = createServer(info).tool("a", { handler: run });
    const { dispatch, fetch, close, ...copy } = { ...server };
    expect(copy).toEqual({ info, authenticator: undefined, legacy: server.legacy });
    expect([dispatch, fetch, close]).toEqual([server.dispatch, server.fetch, server.close]);
    await close();
    await expect(callTool(server, "a")).rejects.toMatchObject({ message: "the server is shutting down" });
  });
});
