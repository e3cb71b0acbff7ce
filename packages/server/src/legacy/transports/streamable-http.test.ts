// Legacy clients over Streamable HTTP on both platforms (D.5, D-33, D-36).
import { type JsonObject, type Middleware, overloaded } from "@lethe/protocol";
import type { LegacyRevision } from "@lethe/protocol/revisions";
import { describe, expect, it, vi } from "vitest";
import type { Authenticator } from "../../auth/authenticator.ts";
import { describeMatrix, fetchPlatform } from "../../testing/http-platforms.ts";
import { begin, eventsOf, messagesOf, type RawEvent, resume, take, toInitialize } from "../../testing/legacy-client.ts";
import { createFixture } from "../../testing/legacy-fixture.ts";
import { callOf } from "../../testing/messages.ts";
import { createMemoryClientMessageRelay } from "../shared/client-message-relay.ts";
import { createMemorySessionStore } from "../shared/session-store.ts";

const revisions: LegacyRevision[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const keys = `one:${"A".repeat(43)}`;
const call = (name: string, args: JsonObject = {}, id: unknown = 1): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const withProgress = (name: string, id: unknown = 1): JsonObject => ({
  ...call(name, {}, id),
  params: { name, _meta: { progressToken: "p" } },
});
const textOf = (response: JsonObject): unknown => (response.result as { content: { text: string }[] }).content[0]?.text;

describeMatrix("a legacy session", (platform) => {
  it.each(revisions)("starts with initialize and serves calls in %s (D-20)", async (revision) => {
    await using client = await platform.open(createFixture({ instructions: "be nice" }).server);
    const old = await begin(client, revision);
    expect(old.initialized).toEqual({
      protocolVersion: revision,
      capabilities: { logging: {}, tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } },
      serverInfo: { name: "fixture", version: "1" },
      instructions: "be nice",
    });
    expect(old.sessionId).toMatch(/^[!-~]+$/);
    const initialized = await old.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([initialized.status, await initialized.text()]).toEqual([202, ""]);
    expect(await old.request("ping")).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(await old.request("tools/call", { name: "greet", arguments: { name: "Ada" } }, "x")).toEqual({
      jsonrpc: "2.0",
      id: "x",
      result: { content: [{ type: "text", text: "hello Ada" }] },
    });
  });

  it("starts again if initialize names a session and a version (D-37)", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    const again = await client.send({ headers: old.headers, body: toInitialize("2025-06-18") });
    expect(again.status).toBe(200);
    expect(again.headers.get("mcp-session-id")).not.toBe(old.sessionId);
  });

  it("works in another process with the same keys, and after a restart", async () => {
    await using first = await platform.open(createFixture({ keys }).server);
    await using second = await platform.open(createFixture({ keys }).server);
    const old = await begin(first, "2025-06-18");
    const moved = resume(second, "2025-06-18", old.sessionId);
    expect(textOf(await moved.request("tools/call", { name: "greet", arguments: { name: "Ada" } }))).toBe("hello Ada");
  });

  it("is unknown to a process with other keys or another server name (404, D-33)", async () => {
    await using first = await platform.open(createFixture({ keys }).server);
    await using other = await platform.open(createFixture({ keys: `one:${"B".repeat(42)}A` }).server);
    const { sessionId } = await begin(first);
    for (const forged of [sessionId, `${sessionId}x`, "x", "1.one."]) {
      const answer = await resume(other, "2025-11-25", forged).post({ jsonrpc: "2.0", id: 1, method: "ping" });
      expect([forged, answer.status]).toEqual([forged, 404]);
      expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining("initialize") } });
    }
  });

  it("is required: a request without its header answers 400 (D-33)", async () => {
    await using client = await platform.open(createFixture().server);
    const unknown = resume(client, "2025-11-25", undefined);
    expect((await unknown.post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(400);
    expect((await unknown.get().answer).status).toBe(400);
    expect((await unknown.delete()).status).toBe(400);
  });

  it("answers 406 to a GET that does not accept an event stream", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    expect((await old.get({ accept: "application/json" }).answer).status).toBe(406);
  });

  it("has an id of fewer than 4,096 characters for a client with long names and capabilities", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-11-25", { experimental: { long: { text: "\u4e16".repeat(2_000) } } });
    expect(old.sessionId?.length).toBeLessThan(4_096);
    expect(await old.request("ping")).toMatchObject({ result: {} });
  });

  it("does not start with capabilities nested 100,000 levels deep, which are invalid params", async () => {
    const onError = vi.fn();
    await using client = await platform.open(createFixture({ onError }).server);
    const deep = `${'{"a":'.repeat(100_000)}{}${"}".repeat(100_000)}`;
    const body = JSON.stringify(toInitialize("2025-11-25", { experimental: {} })).replace(
      '"experimental":{}',
      `"experimental":${deep}`,
    );
    const answer = await client.send({ headers: {}, body });
    expect(await answer.json()).toMatchObject({
      error: { code: -32602, message: "params.capabilities must not nest deeper than 100 levels" },
    });
    expect(onError).not.toHaveBeenCalled();
  });

  it("does not start with a notification", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    const { id: _, ...notification } = toInitialize("2025-11-25");
    const answer = await old.post(notification);
    expect([answer.status, answer.headers.get("mcp-session-id"), await answer.text()]).toEqual([202, null, ""]);
  });

  it("reports a failing store to the log only", async () => {
    const onError = vi.fn();
    const failure = new Error("secret");
    const store = { ...createMemorySessionStore(), get: () => Promise.reject(failure) };
    await using client = await platform.open(createFixture({ legacy: { store, onError } }).server);
    const old = await begin(client);
    const answer = await old.post({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("secret");
    expect(onError).toHaveBeenCalledExactlyOnceWith(failure);
  });

  it("ends permanently with DELETE (D-33)", async () => {
    const fixture = createFixture();
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    const waiting = old.post(call("wait", {}, 7));
    await vi.waitUntil(async () => (await old.request("ping")).result, { interval: 1 });
    expect((await old.delete()).status).toBe(204);
    expect(await (await waiting).text()).not.toContain('"result"');
    expect((await old.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
    expect((await old.get().answer).status).toBe(404);
    expect((await old.delete()).status).toBe(404);
    expect((await begin(client)).sessionId).toBeDefined();
  });

  it("does not exist for another caller", async () => {
    const auth: Authenticator = {
      authenticate: async (authorization) => ({ id: authorization ?? "" }),
      challenge: () => "",
      metadata: undefined,
      metadataPaths: [],
    };
    await using client = await platform.open(createFixture({ auth }).server);
    const ada = await begin(client, "2025-11-25", {}, { authorization: "Bearer ada" });
    expect((await ada.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(200);
    const eve = resume(client, "2025-11-25", ada.sessionId, {}, { authorization: "Bearer eve" });
    expect((await eve.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
  });

  it("answers 403 with a challenge if a scope is missing, also without an authenticator (G-4)", async () => {
    await using open = await platform.open(createFixture().server);
    expect((await (await begin(open)).post(call("secret"))).status).toBe(403);
    const auth: Authenticator = {
      authenticate: async (authorization) => ({ id: "ada", scopes: [authorization ?? ""] }),
      challenge: ({ scopes }) => `Bearer scope="${scopes}"`,
      metadata: undefined,
      metadataPaths: [],
    };
    await using client = await platform.open(createFixture({ auth }).server);
    const ada = await begin(client, "2025-11-25", {}, { authorization: "write" });
    const refused = await ada.post(call("secret"));
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([403, 'Bearer scope="read"']);
    expect(await refused.json()).toMatchObject({ id: 1, error: { message: expect.stringContaining("scope") } });
    expect((await ada.post(call("secret"), { authorization: "read" })).status).toBe(200);
  });

  it("answers errors with the codes of its revision and status 200 (D-28)", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    expect(await old.request("resources/read", { uri: "test://none" })).toMatchObject({
      error: { code: -32002, data: { uri: "test://none" } },
    });
    expect(await old.request("tools/call", { name: "none" })).toMatchObject({ error: { code: -32602 } });
    expect(await old.request("nonsense/call")).toMatchObject({ error: { code: -32601 } });
    expect(await old.request("tools/call", { name: "ask", arguments: {} })).toMatchObject({
      error: { code: -32602, data: { requiredCapabilities: { elicitation: { form: {} } } } },
    });
    expect(JSON.stringify(await old.request("tools/call", { name: "fail" }))).not.toContain("secret");
    const broken = await old.post({ jsonrpc: "2.0", id: 1.5, method: "ping" });
    expect([broken.status, (await broken.json()).error]).toMatchObject([400, { code: -32600 }]);
  });

  it("is limited in the number of concurrent requests", async () => {
    const fixture = createFixture({ legacy: { maxRequestsPerSession: 1 } });
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    const waiting = await old.post(withProgress("wait", "w"));
    expect(await (await old.post(call("wait", {}, "w"))).json()).toMatchObject({ error: { code: -32600 } });
    expect((await old.post(call("greet", { name: "x" }))).status).toBe(429);
    fixture.release();
    expect(await waiting.text()).toContain("waited");
  });

  it("answers an overload with status 200, because some clients end their session on 503", async () => {
    const busy: Middleware = (next) => (request, exchange) =>
      request.method === "tools/call" ? Promise.reject(overloaded("later", 500)) : next(request, exchange);
    const { server } = createFixture();
    server.use(busy);
    await using client = await platform.open(server);
    const old = await begin(client);
    const response = await old.post(call("greet", { name: "x" }));
    expect([response.status, await response.json()]).toMatchObject([200, { error: { data: { retryAfterMs: 500 } } }]);
  });
});

describeMatrix("input requests during a call (D-50)", (platform) => {
  it("arrive on the stream of the call, and the client posts the responses", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-11-25", { elicitation: {} });
    const stream = messagesOf(await old.post(call("ask")));
    const who = await take(stream);
    expect(who).toMatchObject({
      jsonrpc: "2.0",
      method: "elicitation/create",
      params: { mode: "form", message: "Who?" },
    });
    const accepted = await old.post({
      jsonrpc: "2.0",
      id: who.id,
      result: { action: "accept", content: { name: "Ada" } },
    });
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
    const age = await take(stream);
    expect(age.id).not.toBe(who.id);
    await old.post({ jsonrpc: "2.0", id: age.id, result: { action: "accept", content: { age: 36 } } });
    expect(textOf(await take(stream))).toBe("Ada is 36");
    expect((await stream.next()).done).toBe(true);
  });

  it("fail the call if they are declined or answered with an error", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-06-18", { elicitation: {}, sampling: {} });
    const declined = messagesOf(await old.post(call("ask")));
    await old.post({ jsonrpc: "2.0", id: (await take(declined)).id, result: { action: "decline" } });
    expect(await take(declined)).toMatchObject({ result: { isError: true } });
    const refused = messagesOf(await old.post(call("think")));
    await old.post({ jsonrpc: "2.0", id: (await take(refused)).id, error: { code: -1, message: "no" } });
    expect(await take(refused)).toMatchObject({ error: { code: -32603, message: expect.stringContaining("no") } });
  });

  it("are cancelled when the call is cancelled (D-27)", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-11-25", { elicitation: {} });
    const stream = messagesOf(await old.post(call("ask", {}, 5)));
    const { id } = await take(stream);
    await old.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    expect(await take(stream)).toMatchObject({ method: "notifications/cancelled", params: { requestId: id } });
    expect((await stream.next()).done).toBe(true);
  });

  it("for a URL have an elicitation id, and the client is notified when they are complete (D-39)", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-11-25", { elicitation: { url: {} } });
    const stream = messagesOf(await old.post(call("visit")));
    const signIn = await take(stream);
    expect(signIn.params).toEqual({
      mode: "url",
      message: "Sign in",
      url: "https://example.com/in",
      elicitationId: expect.any(String),
    });
    await old.post({ jsonrpc: "2.0", id: signIn.id, result: { action: "accept" } });
    const { elicitationId } = signIn.params as JsonObject;
    expect(await take(stream)).toMatchObject({
      method: "notifications/elicitation/complete",
      params: { elicitationId },
    });
    const pay = await take(stream);
    expect((pay.params as JsonObject).elicitationId).not.toBe(elicitationId);
    await old.post({ jsonrpc: "2.0", id: pay.id, result: { action: "accept" } });
    expect(await take(stream)).toMatchObject({ method: "notifications/elicitation/complete" });
    expect(textOf(await take(stream))).toBe("thanks");
  });

  it("for a URL send no completion if they are declined", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-11-25", { elicitation: { url: {} } });
    const stream = messagesOf(await old.post(call("visit")));
    const { id } = await take(stream);
    await old.post({ jsonrpc: "2.0", id, result: { action: "decline" } });
    expect(await take(stream)).toMatchObject({ result: { isError: true } });
  });

  it("fail for a client that accepts only JSON, with the URLs in -32042", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-11-25", { elicitation: { form: {}, url: {} } });
    const json = { accept: "application/json" };
    expect(await (await old.post(call("visit"), json)).json()).toMatchObject({
      error: {
        code: -32042,
        data: { elicitations: [{ mode: "url", url: "https://example.com/in", elicitationId: expect.any(String) }] },
      },
    });
    expect(await (await old.post(call("ask"), json)).json()).toMatchObject({ error: { code: -32600 } });
    const quiet = await old.post(
      { ...call("progress"), params: { name: "progress", _meta: { progressToken: 1 } } },
      json,
    );
    expect(textOf(await quiet.json())).toBe("done");
  });

  it("time out after answerTimeoutMs", async () => {
    await using client = await platform.open(createFixture({ legacy: { answerTimeoutMs: 1 } }).server);
    const old = await begin(client, "2025-11-25", { elicitation: {} });
    const messages: JsonObject[] = [];
    for await (const message of messagesOf(await old.post(call("ask")))) messages.push(message);
    expect(messages).toMatchObject([
      { method: "elicitation/create" },
      { method: "notifications/cancelled" },
      { error: { code: -32603, message: expect.stringContaining("did not answer") } },
    ]);
  });

  it("get responses that arrive at another process if the processes share an exchange", async () => {
    const clientMessages = createMemoryClientMessageRelay();
    await using first = await platform.open(createFixture({ keys, legacy: { clientMessages } }).server);
    await using second = await platform.open(createFixture({ keys, legacy: { clientMessages } }).server);
    const old = await begin(first, "2025-11-25", { elicitation: {} });
    const elsewhere = resume(second, "2025-11-25", old.sessionId);
    const stream = messagesOf(await old.post(call("ask", {}, 1)));
    const who = await take(stream);
    await elsewhere.post({ jsonrpc: "2.0", id: who.id, result: { action: "accept", content: { name: "Ada" } } });
    expect(await take(stream)).toMatchObject({ method: "elicitation/create", params: { message: "How old?" } });
    await elsewhere.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(await take(stream)).toMatchObject({ method: "notifications/cancelled" });
  });

  it("have ids that start with the address of the exchange", async () => {
    const clientMessages = { ...createMemoryClientMessageRelay(), address: "here" };
    await using client = await platform.open(createFixture({ legacy: { clientMessages } }).server);
    const old = await begin(client, "2025-11-25", { elicitation: {} });
    const { id } = await take(messagesOf(await old.post(call("ask", {}, 1))));
    expect(id).toMatch(/^here\.[\w-]+$/);
  });
});

describeMatrix("messages before a result", (platform) => {
  it("are sent on the stream of the call: progress, and log messages from the level of the session (D-25, D-29)", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client);
    const heard = async (): Promise<unknown[]> => {
      const messages: JsonObject[] = [];
      for await (const message of messagesOf(await old.post(withProgress("progress")))) messages.push(message);
      return messages.map(({ params, result }) => (result ? "result" : (params as JsonObject)));
    };
    const half = { progressToken: "p", progress: 1, total: 2, message: "half" };
    const info = expect.objectContaining({ level: "info" });
    expect(await heard()).toEqual([half, info, "result"]);
    expect(await old.request("logging/setLevel", { level: "debug" })).toMatchObject({ result: {} });
    expect(await heard()).toEqual([half, info, expect.objectContaining({ level: "debug" }), "result"]);
    await old.request("logging/setLevel", { level: "error" });
    expect(await heard()).toEqual([half, "result"]);
    expect(await old.request("logging/setLevel", { level: "loud" })).toMatchObject({ error: { code: -32602 } });
  });

  it("do not end with a lost connection but with a cancellation (D-27, J-50)", async () => {
    const fixture = createFixture();
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    const { answer, leave } = old.open({
      ...call("wait", {}, "w"),
      params: { name: "wait", _meta: { progressToken: 1 } },
    });
    const stream = messagesOf(await answer);
    await take(stream);
    leave();
    await stream.return();
    expect(await old.request("ping")).toMatchObject({ result: {} });
    expect(fixture.aborted).toBe(0);
    await old.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "w" } });
    await vi.waitUntil(() => fixture.aborted === 1, { interval: 1 });
  });

  it("a call that exceeds callTimeoutMs is aborted and answered", async () => {
    const fixture = createFixture({ legacy: { callTimeoutMs: 1 } });
    await using client = await platform.open(fixture.server);
    const old = await begin(client);
    expect(await old.request("tools/call", { name: "wait" })).toMatchObject({ error: { code: -32603 } });
    expect(fixture.aborted).toBe(1);
  });
});

describeMatrix("batches (D-31)", (platform) => {
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

  it("of 2025-03-26 answer one response per request as JSON", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-03-26");
    const answer = await old.post([
      ping,
      { jsonrpc: "2.0", method: "notifications/x" },
      call("greet", { name: "A" }, 2),
      7,
    ]);
    const responses = (await answer.json()) as unknown as JsonObject[];
    expect(responses.map(({ id }) => id).sort()).toEqual([1, 2, undefined]);
    expect(responses.find(({ id }) => id === undefined)).toMatchObject({ error: { code: -32600 } });
  });

  it("answer with an event stream if a message precedes a response", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-03-26");
    const messages: JsonObject[] = [];
    for await (const message of messagesOf(await old.post([ping, withProgress("progress", 2)]))) messages.push(message);
    expect(messages.map(({ id, method }) => id ?? method).sort()).toEqual([
      1,
      2,
      "notifications/message",
      "notifications/progress",
    ]);
  });

  it("without a request answer 202", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await begin(client, "2025-03-26");
    const answer = await old.post([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
  });

  it.each([
    ["2025-03-26", [], 400],
    ["2025-03-26", Array(101).fill(ping), 400],
    ["2025-06-18", [ping], 400],
    ["2025-11-25", [ping], 400],
    ["2024-11-05", [ping], 400],
  ] as const)("of %s with %j are refused", async (revision, body, status) => {
    await using client = await platform.open(createFixture().server);
    const answer = await (await begin(client, revision)).post([...body]);
    expect([answer.status, (await answer.json()).error]).toMatchObject([status, { code: -32600 }]);
  });

  it("reject modern requests", async () => {
    await using client = await platform.open(createFixture().server);
    const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: {} } };
    const answer = await (await begin(client, "2025-03-26")).post([listen]);
    expect(await answer.json()).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });

  it("reject initialize (D-21)", async () => {
    await using client = await platform.open(createFixture().server);
    const answer = await (await begin(client, "2025-03-26")).post([toInitialize("2025-03-26")]);
    expect(await answer.json()).toMatchObject([{ id: 0, error: { code: -32600 } }]);
  });
});

describe("legacy options", () => {
  it('"none": every request for itself, with nothing that takes a session', async () => {
    await using client = await fetchPlatform.open(createFixture({ legacy: { sessions: "none" } }).server);
    const old = await begin(client, "2025-06-18", { elicitation: {} });
    expect(old.sessionId).toBeUndefined();
    expect(old.initialized.capabilities).toEqual({ tools: {}, resources: {} });
    expect(textOf(await old.request("tools/call", { name: "greet", arguments: { name: "Ada" } }))).toBe("hello Ada");
    expect(await old.request("tools/call", { name: "ask" })).toMatchObject({ error: { code: -32602 } });
    expect(await old.request("logging/setLevel", { level: "info" })).toMatchObject({ error: { code: -32601 } });
    expect(await old.request("resources/subscribe", { uri: "test://a" })).toMatchObject({ error: { code: -32601 } });
    expect((await old.get().answer).status).toBe(405);
    expect((await old.delete()).status).toBe(405);
    const newest = await begin(client, "2025-11-25");
    const events: RawEvent[] = [];
    for await (const event of eventsOf(await newest.post(withProgress("progress")))) events.push(event);
    expect(events.map(({ id, data }) => [id, JSON.parse(data ?? "").method])).toEqual([
      [undefined, "notifications/progress"],
      [undefined, undefined],
    ]);
    const assumed = resume(client, "2025-03-26", undefined);
    expect(await (await assumed.post([{ jsonrpc: "2.0", id: 1, method: "ping" }])).json()).toMatchObject([{ id: 1 }]);
  });

  it('"off": the error of initialize names the versions that are served (D-5)', async () => {
    await using client = await fetchPlatform.open(createFixture({ legacy: { sessions: "off" } }).server);
    const answer = await client.send({
      headers: { "mcp-protocol-version": undefined, "mcp-method": undefined },
      body: toInitialize("2025-11-25"),
    });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error).toMatchObject({ code: -32022, data: { supported: ["2026-07-28"] } });
    expect((await client.send({ verb: "GET" })).status).toBe(405);
    expect((await client.send({ body: callOf("greet") })).status).toBe(200);
  });

  it("may omit revisions, and a client that asks for one of them gets the newest of the others", async () => {
    const { server } = createFixture({ legacy: { revisions: ["2025-03-26", "2025-06-18"] } });
    await using client = await fetchPlatform.open(server);
    expect((await begin(client, "2025-11-25")).initialized.protocolVersion).toBe("2025-06-18");
    expect((await begin(client, "2025-03-26")).initialized.protocolVersion).toBe("2025-03-26");
    expect(() => createFixture({ legacy: { revisions: [] } })).toThrow("legacy.revisions");
  });
});
