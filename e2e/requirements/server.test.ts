// Requirements on a server that no unit test covers: one test each, named by its id.
import { PassThrough } from "node:stream";
import { type JsonObject, tasksExtension } from "@lethe/protocol";
import { createServer, type Server } from "@lethe/server";
import { createKeyAuthenticator } from "@lethe/server/auth";
import { rateLimit } from "@lethe/server/middleware";
import { serveStdio } from "@lethe/server/node";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ask, envelope, messagesOf, post, requestOf, revision } from "./raw-http.ts";

function createShop(): Server {
  const server = createServer({ name: "shop", version: "1" }, { onError() {} });
  server.tool("sell", {
    inputSchema: z.object({ item: z.string() }),
    async handler({ item }, ctx) {
      ctx.progress(1, 2, "half");
      return `sold ${item}`;
    },
  });
  server.tool("ask", { handler: async (_, ctx) => (await ctx.elicit("Who?", z.object({ name: z.string() }))).name });
  server.tool("long", { task: "always", handler: () => "done" });
  onTestFinished(() => server.close());
  return server;
}

/** Lines to a server on stdio, and the messages that it writes. */
function openStdio(server: Server) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const written: JsonObject[] = [];
  let held = "";
  let notice = (): void => {};
  stdout.setEncoding("utf8").on("data", (text: string) => {
    held += text;
    for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
      written.push(JSON.parse(held.slice(0, end)));
      held = held.slice(end + 1);
    }
    notice();
  });
  const serving = serveStdio(server, { input: stdin, output: stdout, onError() {} });
  onTestFinished(() => void stdin.end());
  return {
    serving,
    written,
    write: (message: unknown) => void stdin.write(`${JSON.stringify(message)}\n`),
    async until(fits: (message: JsonObject) => boolean): Promise<JsonObject> {
      for (;;) {
        const found = written.find(fits);
        if (found) return found;
        await new Promise<void>((resolve) => {
          notice = resolve;
        });
      }
    },
  };
}

test("A-4: a server on stdio sends no response to an invalid notification", async () => {
  const { write, until, written } = openStdio(createShop());
  write({ jsonrpc: "2.0", method: "notifications/unheard_of" });
  write({ jsonrpc: "2.0", method: "tools/call", params: {} });
  write({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: null } });
  write(requestOf("tools/list", {}, "last"));
  await until(({ id }) => id === "last");
  expect(written).toHaveLength(1);
});

test("A-4: a server answers a notification over HTTP with 202 and no body", async () => {
  const response = await post(createShop().fetch, { jsonrpc: "2.0", method: "notifications/unheard_of" });
  expect([response.status, await response.text()]).toEqual([202, ""]);
});

test("A-8: every error has an integer code and a message of one sentence", async () => {
  const { fetch } = createShop();
  const requests: [string, JsonObject?][] = [
    ["tools/call", { name: "unknown" }],
    ["tools/call", { name: 5 }],
    ["tools/list", { cursor: 5 }],
    ["resources/read", { uri: "a:b" }],
    ["nothing/known"],
    ["tasks/get", { taskId: "none" }],
  ];
  for (const [method, params] of requests) {
    const { error } = (await ask(fetch, method, params)) as { error: { code: unknown; message: string } };
    expect(Number.isInteger(error.code)).toBe(true);
    expect(error.message).toMatch(/^[^\n]{1,300}$/);
  }
});

test.each(["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"])(
  "A-9: a server rejects %s without params with -32602",
  async (method) => {
    const response = await post(createShop().fetch, { jsonrpc: "2.0", id: 1, method });
    expect([response.status, (await messagesOf(response))[0]?.error]).toMatchObject([400, { code: -32602 }]);
  },
);

test("A-9: an elicitation in inputRequests has no id and no jsonrpc member, and needs no _meta", async () => {
  const _meta = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const { result } = await ask(createShop().fetch, "tools/call", { name: "ask", _meta });
  const [request] = Object.values((result as { inputRequests: JsonObject }).inputRequests);
  expect(Object.keys(request as JsonObject).sort()).toEqual(["method", "params"]);
});

test("A-11: another process continues a round from the requestState that the client sends", async () => {
  const keys = `k:${"A".repeat(43)}`;
  const create = () =>
    createServer({ name: "two", version: "1" }, { keys }).tool("ask", {
      handler: async (_, ctx) => (await ctx.elicit("Who?", z.object({ name: z.string() }))).name,
    });
  const [first, second] = [create(), create()];
  const _meta = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const asked = (await ask(first.fetch, "tools/call", { name: "ask", _meta })).result as JsonObject;
  const [key = ""] = Object.keys(asked.inputRequests as JsonObject);
  const inputResponses = { [key]: { action: "accept", content: { name: "Ann" } } };
  const more = { name: "ask", _meta, requestState: asked.requestState, inputResponses };
  expect((await ask(second.fetch, "tools/call", more)).result).toMatchObject({ content: [{ text: "Ann" }] });
});

test("A-12: a server returns the same list on every connection, and other requests do not change it", async () => {
  const server = createShop();
  const before = (await ask(server.fetch, "tools/list")).result;
  await ask(server.fetch, "tools/call", { name: "sell", arguments: { item: "pen" } });
  expect((await ask(server.fetch, "tools/list")).result).toEqual(before);
  const { write, until } = openStdio(server);
  write(requestOf("tools/call", { name: "sell", arguments: { item: "pen" } }, 1));
  write(requestOf("tools/list", {}, 2));
  expect((await until(({ id }) => id === 2)).result).toEqual(before);
});

test("A-30, A-31: every key that a server puts into _meta is well formed and defined by the specification", async () => {
  const server = createShop();
  const metas: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "_meta") metas.push(...Object.keys(member as JsonObject));
      collect(member);
    }
  };
  const progressing = { ...envelope, progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" };
  for (const [method, params] of [
    ["server/discover"],
    ["tools/list"],
    ["tools/call", { name: "sell", arguments: { item: "pen" }, _meta: progressing }],
  ] as const) {
    collect(await messagesOf(await post(server.fetch, requestOf(method, params))));
  }
  expect(new Set(metas)).toEqual(new Set(["io.modelcontextprotocol/serverInfo"]));
  for (const key of metas)
    expect(key).toMatch(/^([a-z]([a-z0-9-]*[a-z0-9])?(\.[a-z]([a-z0-9-]*[a-z0-9])?)*\/)?[a-zA-Z0-9]+$/i);
});

test("B-21: a server sends progress on the stream of its request and never on the listen stream", async () => {
  const server = createShop();
  const listening = await post(
    server.fetch,
    requestOf("subscriptions/listen", { notifications: { toolsListChanged: true } }, "l"),
  );
  const _meta = { ...envelope, progressToken: "p" };
  const called = await messagesOf(
    await post(server.fetch, requestOf("tools/call", { name: "sell", arguments: { item: "pen" }, _meta })),
  );
  expect(called.map(({ method }) => method)).toEqual(["notifications/progress", undefined]);
  server.tool("more", { handler: () => "more" });
  const body = (listening.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  while (!heard.includes("tools/list_changed")) heard += (await body.read()).value;
  await body.cancel();
  expect(heard.match(/"method":"[^"]+"/g)).toEqual([
    '"method":"notifications/subscriptions/acknowledged"',
    '"method":"notifications/tools/list_changed"',
  ]);
});

test("C-3: a server on stdio writes only responses and notifications, even if a tool requests input", async () => {
  const { write, until, written } = openStdio(createShop());
  const _meta = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }, progressToken: 1 };
  write(requestOf("tools/call", { name: "ask", _meta }, 1));
  write(requestOf("tools/call", { name: "sell", arguments: { item: "pen" }, _meta }, 2));
  await until(({ id }) => id === 1);
  await until(({ id }) => id === 2);
  expect(written.filter((message) => "method" in message && "id" in message)).toEqual([]);
});

test("C-3, A-3: a server ignores a response that it receives on stdio", async () => {
  const { write, until, written } = openStdio(createShop());
  write({ jsonrpc: "2.0", id: 7, result: {} });
  write({ jsonrpc: "2.0", id: 8, error: { code: 1, message: "m" } });
  write(requestOf("tools/list", {}, "last"));
  await until(({ id }) => id === "last");
  expect(written).toHaveLength(1);
});

test("E-1, E-3: server/discover needs only the envelope, and its result states how long it may be cached", async () => {
  const { fetch } = createShop();
  const { result } = await ask(fetch, "server/discover");
  expect(result).toMatchObject({
    supportedVersions: [revision],
    capabilities: { tools: {} },
    ttlMs: expect.any(Number),
    cacheScope: expect.stringMatching(/^(public|private)$/),
  });
});

test("E-1: a server rejects server/discover of an unknown version with the supported versions", async () => {
  const _meta = { ...envelope, "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
  const headers = { "mcp-protocol-version": "2099-01-01" };
  const response = await post(createShop().fetch, requestOf("server/discover", { _meta }), headers);
  const error = { code: -32022, data: { supported: [revision], requested: "2099-01-01" } };
  expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error }]);
});

test("E-37: a server never cancels a request, only a listen stream", async () => {
  const server = createShop();
  const { write, until, written } = openStdio(server);
  write(requestOf("subscriptions/listen", { notifications: { toolsListChanged: true } }, "l"));
  await until(({ method }) => method === "notifications/subscriptions/acknowledged");
  write(requestOf("tools/call", { name: "sell", arguments: { item: "pen" } }, 2));
  await until(({ id }) => id === 2);
  await server.close();
  const cancelled = written.filter(({ method }) => method === "notifications/cancelled");
  for (const { params } of cancelled) expect(params).toMatchObject({ requestId: "l" });
});

test("E-72: a server validates inputs, limits rates, controls access and hides its internals", async () => {
  const auth = createKeyAuthenticator([{ id: "ann", key: "ann-key-0123456789" }]);
  const server = createServer({ name: "guarded", version: "1" }, { onError() {}, auth });
  server.use(rateLimit({ perCaller: 2 }));
  server.tool("fail", {
    inputSchema: z.object({ n: z.number() }),
    handler: () => Promise.reject(new Error("secret path")),
  });
  const call = (args: JsonObject, token?: string) =>
    post(server.fetch, requestOf("tools/call", { name: "fail", arguments: args }), {
      authorization: token && `Bearer ${token}`,
    });
  expect((await call({ n: 1 })).status).toBe(401);
  const [invalid] = await messagesOf(await call({ n: "one" }, "ann-key-0123456789"));
  expect(invalid?.result).toMatchObject({ isError: true });
  const [failed] = await messagesOf(await call({ n: 1 }, "ann-key-0123456789"));
  expect(JSON.stringify(failed)).not.toContain("secret");
  expect((await call({ n: 1 }, "ann-key-0123456789")).status).toBe(429);
});

test("F-24: a server rejects a task method whose Mcp-Name header is not its task id", async () => {
  const { fetch } = createShop();
  const _meta = {
    ...envelope,
    "io.modelcontextprotocol/clientCapabilities": { extensions: { [tasksExtension]: {} } },
  };
  const { result } = await ask(fetch, "tools/call", { name: "long", _meta });
  const { taskId } = result as { taskId: string };
  expect((await ask(fetch, "tasks/get", { taskId, _meta })).result).toMatchObject({ taskId });
  const other = await post(fetch, requestOf("tasks/get", { taskId, _meta }), { "mcp-name": "another" });
  expect([other.status, (await messagesOf(other))[0]]).toMatchObject([400, { error: { code: -32020 } }]);
});

test("G-6: a server ignores a token in the query string", async () => {
  const auth = createKeyAuthenticator([{ id: "ann", key: "ann-key-0123456789" }]);
  const server = createServer({ name: "guarded", version: "1" }, { auth });
  const url = "http://localhost/mcp?access_token=ann-key-0123456789";
  const { status } = await server.fetch(
    new Request(url, { method: "POST", body: JSON.stringify(requestOf("tools/list")) }),
  );
  expect(status).toBe(401);
});

test("G-52: another caller cannot use a task id or a requestState as a credential", async () => {
  const auth = createKeyAuthenticator([
    { id: "ann", key: "ann-key-0123456789" },
    { id: "bob", key: "bob-key-0123456789" },
  ]);
  const server = createServer({ name: "guarded", version: "1" }, { auth });
  server.tool("ask", { handler: async (_, ctx) => (await ctx.elicit("Who?", z.object({ name: z.string() }))).name });
  const _meta = { ...envelope, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
  const as = (who: string) => ({ authorization: `Bearer ${who}-key-0123456789` });
  const [asked] = await messagesOf(
    await post(server.fetch, requestOf("tools/call", { name: "ask", _meta }), as("ann")),
  );
  const { requestState, inputRequests } = (asked as JsonObject).result as {
    requestState: string;
    inputRequests: JsonObject;
  };
  const [key = ""] = Object.keys(inputRequests);
  const inputResponses = { [key]: { action: "accept", content: { name: "Bob" } } };
  const retry = requestOf("tools/call", { name: "ask", _meta, requestState, inputResponses });
  expect((await messagesOf(await post(server.fetch, retry, as("bob"))))[0]).toMatchObject({ error: { code: -32602 } });
  expect((await messagesOf(await post(server.fetch, retry, as("ann"))))[0]).toMatchObject({
    result: { content: [{ text: "Bob" }] },
  });
});

test("A-4: a server on stdio sends no response to any notification", async () => {
  const { write, until, written } = openStdio(createShop());
  const notifications = fc.sample(
    fc.record({ jsonrpc: fc.constant("2.0"), method: fc.string(), params: fc.dictionary(fc.string(), fc.jsonValue()) }),
    { numRuns: 200, seed: 7 },
  );
  for (const notification of notifications) write(notification);
  write(requestOf("tools/list", {}, "last"));
  await until(({ id }) => id === "last");
  expect(written).toHaveLength(1);
});
