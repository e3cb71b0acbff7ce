// Where drafts and the published revision differ (section I of the requirements), one test for each difference that a peer
// can see. draft-client.test.ts has the client's side.
import { type JsonObject, metaKey } from "@lethe/protocol";
import { createServer, type Server } from "@lethe/server";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { ask, envelope, messagesOf, post, requestOf, revision } from "../requirements/raw-http.ts";

const asking = { ...envelope, [metaKey.clientCapabilities]: { elicitation: {}, sampling: {}, roots: {} } };

function createDraftPeer(): Server {
  const server = createServer({ name: "s", version: "1" }, { onError() {} });
  server.tool("plain", { handler: (_, ctx) => `progress ${ctx.progress(1)}` });
  server.tool("ask", { handler: async (_, ctx) => (await ctx.elicit("Who?", z.object({ name: z.string() }))).name });
  onTestFinished(() => server.close());
  return server;
}

async function askedRound(server: Server): Promise<JsonObject> {
  return (await ask(server.fetch, "tools/call", { name: "ask", _meta: asking })).result as JsonObject;
}

test("I-1: a server rejects an unsupported version with error -32022, the supported versions and status 400", async () => {
  const _meta = { ...envelope, [metaKey.protocolVersion]: "DRAFT-2026-v1" };
  const headers = { "mcp-protocol-version": "DRAFT-2026-v1" };
  const response = await post(createDraftPeer().fetch, requestOf("tools/list", { _meta }), headers);
  const data = { supported: [revision], requested: "DRAFT-2026-v1" };
  expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error: { code: -32022, data } }]);
});

test("I-2: a server rejects a missing capability with error -32021, the capabilities as an object and status 400", async () => {
  const response = await post(createDraftPeer().fetch, requestOf("tools/call", { name: "ask" }));
  const data = { requiredCapabilities: { elicitation: expect.any(Object) } };
  expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error: { code: -32021, data } }]);
});

test("I-3, I-16: a server rejects a header that does not mirror the body with error -32020 and status 400", async () => {
  const response = await post(createDraftPeer().fetch, requestOf("tools/call", { name: "plain" }), { "mcp-name": "x" });
  expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error: { code: -32020 } }]);
});

test("I-4: a server accepts a request without clientInfo", async () => {
  expect(Object.keys(envelope)).not.toContain(metaKey.clientInfo);
  expect((await ask(createDraftPeer().fetch, "tools/list")).result).toMatchObject({ tools: expect.any(Array) });
});

test("I-5, I-7, I-30: the result of server/discover names the server in _meta and has cache hints but no architecture flags", async () => {
  const result = (await ask(createDraftPeer().fetch, "server/discover")).result as JsonObject;
  expect(result._meta).toMatchObject({ [metaKey.serverInfo]: { name: "s", version: "1" } });
  expect(result).toMatchObject({ ttlMs: expect.any(Number), cacheScope: expect.any(String) });
  expect(result).not.toHaveProperty("serverInfo");
  expect(result.capabilities).not.toHaveProperty("session");
});

test("I-6: a server rejects server/discover without a version and capabilities in _meta", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "server/discover", params: {} };
  const response = await post(createDraftPeer().fetch, body);
  expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error: { code: -32602 } }]);
});

test("I-8, I-25: a result that requests input has resultType input_required and a map of requests by key", async () => {
  const asked = await askedRound(createDraftPeer());
  expect(asked).toMatchObject({ resultType: "input_required", inputRequests: expect.any(Object) });
  expect(asked).not.toHaveProperty("dependent_requests");
});

test.each(["tools/list", "resources/list", "prompts/list", "server/discover"])(
  "I-9: %s never requests input, even if the request carries input responses",
  async (method) => {
    const more = { inputResponses: { k: { action: "accept" } }, requestState: "s", _meta: asking };
    const { result, error } = await ask(createDraftPeer().fetch, method, more);
    expect(result ?? error).not.toHaveProperty("inputRequests");
  },
);

test.each([[7], [0], ["seven"], [""]])(
  "I-10, I-11: a listen stream ends with a result that has the id %j of its request, with the same type and value",
  async (id) => {
    const server = createDraftPeer();
    const body = requestOf("subscriptions/listen", { notifications: { toolsListChanged: true } }, id);
    const listening = await post(server.fetch, body);
    await server.close();
    const [acknowledged, end] = await messagesOf(listening);
    expect((acknowledged as { params: JsonObject }).params._meta).toMatchObject({ [metaKey.subscriptionId]: id });
    expect(end).toMatchObject({ id, result: { resultType: "complete", _meta: { [metaKey.subscriptionId]: id } } });
  },
);

test("I-15: a server rejects an older version in a modern envelope", async () => {
  const _meta = { ...envelope, [metaKey.protocolVersion]: "2025-06-18" };
  const headers = { "mcp-protocol-version": "2025-06-18" };
  const response = await post(createDraftPeer().fetch, requestOf("tools/list", { _meta }), headers);
  expect([response.status, (await messagesOf(response))[0]]).toMatchObject([400, { error: { code: -32022 } }]);
});

test("I-17: a server sends progress only for a progressToken, and under that token", async () => {
  const { fetch } = createDraftPeer();
  const call = (_meta: JsonObject) => post(fetch, requestOf("tools/call", { name: "plain", _meta }, "the-id"));
  expect(await messagesOf(await call(envelope))).toHaveLength(1);
  const [progress] = await messagesOf(await call({ ...envelope, progressToken: "the-token" }));
  expect(progress).toMatchObject({ method: "notifications/progress", params: { progressToken: "the-token" } });
});

test.each(["tasks/result", "tasks/list", "initialize", "ping", "logging/setLevel", "resources/subscribe"])(
  "I-18, I-20, I-21: a server answers %s with a modern envelope with error -32601 and status 404",
  async (method) => {
    const response = await post(createDraftPeer().fetch, requestOf(method, { taskId: "t", uri: "a:b", level: "info" }));
    expect([response.status, (await messagesOf(response))[0]]).toMatchObject([404, { error: { code: -32601 } }]);
  },
);

test("I-19: a server still supports roots, sampling and logging", async () => {
  const server = createDraftPeer();
  server.tool("deprecated", {
    async handler(_, ctx) {
      ctx.log("info", "hello");
      const [roots, sampled] = await Promise.all([ctx.roots(), ctx.sample({ messages: [], maxTokens: 1 })]);
      return `${roots.length} ${sampled.model}`;
    },
  });
  const _meta = { ...asking, [metaKey.logLevel]: "debug" };
  const messages = await messagesOf(await post(server.fetch, requestOf("tools/call", { name: "deprecated", _meta })));
  expect(messages[0]).toMatchObject({ method: "notifications/message" });
  const requests = Object.values((messages.at(-1) as { result: { inputRequests: JsonObject } }).result.inputRequests);
  expect(requests.map((request) => (request as JsonObject).method).sort()).toEqual([
    "roots/list",
    "sampling/createMessage",
  ]);
});

test.each([[{ a: 1 }], [7], [["s"]], [true]])(
  "I-23: a server rejects the requestState %j, which is not a string, with error -32602",
  async (requestState) => {
    const { error } = await ask(createDraftPeer().fetch, "tools/call", { name: "ask", _meta: asking, requestState });
    expect(error).toMatchObject({ code: -32602 });
  },
);

test("I-22: a server ignores a state member next to the method", async () => {
  const body = { ...requestOf("tools/call", { name: "ask", _meta: asking }), state: "s" };
  const [asked] = await messagesOf(await post(createDraftPeer().fetch, body));
  expect(asked).toMatchObject({ result: { resultType: "input_required" } });
  expect(asked).not.toHaveProperty("state");
});

test("I-27: a server rejects a requestState with one changed character", async () => {
  const server = createDraftPeer();
  const { requestState, inputRequests } = (await askedRound(server)) as { requestState: string; inputRequests: object };
  const [key = ""] = Object.keys(inputRequests);
  const inputResponses = { [key]: { action: "accept", content: { name: "Ann" } } };
  const middle = Math.floor(requestState.length / 2);
  const other = requestState[middle] === "A" ? "B" : "A";
  const forged = requestState.slice(0, middle) + other + requestState.slice(middle + 1);
  const retry = { name: "ask", _meta: asking, inputResponses };
  expect((await ask(server.fetch, "tools/call", { ...retry, requestState: forged })).error).toMatchObject({
    code: -32602,
  });
  expect((await ask(server.fetch, "tools/call", { ...retry, requestState })).result).toMatchObject({
    content: [{ text: "Ann" }],
  });
});

test("I-28, I-35: the stream of a modern call has no event ids, and a server ignores Last-Event-ID", async () => {
  const { fetch } = createDraftPeer();
  const _meta = { ...envelope, progressToken: 1 };
  const response = await post(fetch, requestOf("tools/call", { name: "plain", _meta }), { "last-event-id": "1" });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  expect(await response.text()).not.toMatch(/^id:/m);
});

test("I-31, I-34: a server ignores a session id of a modern request, in a header or as a bearer token", async () => {
  const { fetch } = createDraftPeer();
  for (const header of [{ "mcp-session-id": "abc" }, { authorization: "Bearer session-abc" }]) {
    const response = await post(fetch, requestOf("tools/list"), header);
    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")).toBeNull();
  }
});

test("I-37: a server advertises an extension under extensions, not under experimental", async () => {
  const server = createServer({ name: "s", version: "1" });
  server.tool("long", { task: "always", handler: () => "done" });
  onTestFinished(() => server.close());
  const { capabilities } = (await ask(server.fetch, "server/discover")).result as { capabilities: JsonObject };
  expect(capabilities).toMatchObject({ extensions: { "io.modelcontextprotocol/tasks": {} } });
  expect(capabilities).not.toHaveProperty("experimental");
});
