// Clients of both eras at one URL (D.4): neither sees the methods of the other.
import { type JsonObject, metaKey } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Client, describeMatrix } from "../testing/http-platforms.ts";
import { begin, toInitialize } from "../testing/legacy-client.ts";
import { createFixture } from "../testing/legacy-fixture.ts";
import { requestOf } from "../testing/messages.ts";
import { isLegacyBody } from "./transports/detect-legacy.ts";

const both: [string, JsonObject][] = [
  ["tools/list", {}],
  ["tools/call", { name: "greet", arguments: { name: "Ada" } }],
  ["prompts/list", {}],
  ["prompts/get", { name: "hello" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "test://a" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "hello" }, argument: { name: "name", value: "A" } }],
];
const legacyOnly: [string, JsonObject][] = [
  ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }],
  ["ping", {}],
  ["logging/setLevel", { level: "info" }],
  ["resources/subscribe", { uri: "test://a" }],
  ["resources/unsubscribe", { uri: "test://a" }],
];
const modernOnly: [string, JsonObject][] = [
  ["server/discover", {}],
  ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
];

function createBoth() {
  const { server } = createFixture();
  const input = z.object({ name: z.string().optional() });
  server.prompt("hello", { argsSchema: input, complete: { name: () => ["Ada"] }, handler: () => "hello" });
  server.resourceTemplate("test://t/{id}", { handler: () => "t" });
  return server;
}

async function messagesOf(client: Client, body: JsonObject, headers = {}): Promise<JsonObject[]> {
  const { answer, leave } = client.open({ body, headers });
  const { headers: answered, json, messages } = await answer;
  if (!answered.get("content-type")?.startsWith("text/event-stream")) return [await json()];
  const { value } = await messages().next();
  leave();
  return value ? [value] : [];
}

describeMatrix("eras on one URL", (platform) => {
  it.each(both)("%s answers each era in the form of its revision", async (method, params) => {
    await using client = await platform.open(createBoth());
    const old = await begin(client);
    const [modern] = await messagesOf(client, requestOf(method, params));
    expect(modern?.result).toMatchObject({
      resultType: "complete",
      _meta: { [metaKey.serverInfo]: { name: "fixture" } },
    });
    // A modern request is modern even if it names a session (B-5).
    const [stateless] = await messagesOf(client, requestOf(method, params), { "mcp-session-id": old.sessionId });
    expect(stateless).toEqual(modern);
    const legacy = await old.request(method, params);
    const {
      resultType: _,
      ttlMs: __,
      cacheScope: ___,
      _meta: ____,
      ...rest
    } = (modern as { result: JsonObject }).result;
    expect(legacy.result).toEqual(rest);
  });

  it.each(legacyOnly)("%s does not exist for a modern client (J-26)", async (method, params) => {
    await using client = await platform.open(createBoth());
    const old = await begin(client);
    for (const headers of [{}, { "mcp-session-id": old.sessionId }]) {
      const answer = await client.send({ body: requestOf(method, params), headers });
      expect([answer.status, (await answer.json()).error]).toMatchObject([404, { code: -32601 }]);
      expect(answer.headers.get("mcp-session-id")).toBeNull();
    }
  });

  it.each(legacyOnly.slice(1))("%s exists in a legacy session", async (method, params) => {
    await using client = await platform.open(createBoth());
    expect(await (await begin(client)).request(method, params)).toMatchObject({ result: {} });
  });

  it.each(modernOnly)("%s does not exist in a legacy session", async (method, params) => {
    await using client = await platform.open(createBoth());
    const old = await begin(client);
    // With modern metadata it is a valid modern request, without it an invalid one, even if it names a session.
    expect(await old.request(method, params)).toMatchObject({ error: { code: -32602 } });
    const [modern] = await messagesOf(client, requestOf(method, params), { "mcp-session-id": old.sessionId });
    expect(modern?.error).toBeUndefined();
  });

  it.each(["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"])(
    "%s, which means different things in both eras, is unknown to a server without tasks (F-1)",
    async (method) => {
      await using client = await platform.open(createBoth());
      expect(await (await begin(client)).request(method, { taskId: "t" })).toHaveProperty("error");
    },
  );

  it("a modern response without the header is rejected, as is a modern header without metadata (J-27)", async () => {
    await using client = await platform.open(createBoth());
    const headless = await client.send({
      body: requestOf("tools/list"),
      headers: { "mcp-protocol-version": undefined },
    });
    expect(await headless.json()).toMatchObject({ error: { code: -32020 } });
    const old = await begin(client);
    for (const body of [toInitialize("2025-11-25"), { jsonrpc: "2.0", id: 1, method: "tools/list" }]) {
      const answer = await client.send({ body, headers: { "mcp-session-id": old.sessionId } });
      expect([answer.status, (await answer.json()).error]).toMatchObject([400, { code: -32602 }]);
    }
  });

  it("GET and DELETE of a modern client are rejected (B-1)", async () => {
    await using client = await platform.open(createBoth());
    const headers = { "mcp-protocol-version": "2026-07-28" };
    expect((await client.send({ verb: "GET", headers })).status).toBe(405);
    expect((await client.send({ verb: "DELETE", headers })).status).toBe(405);
  });

  it("the header Mcp-Method does not make a legacy request modern", async () => {
    await using client = await platform.open(createBoth());
    const headers = { "mcp-protocol-version": "2025-11-25", "mcp-method": "initialize" };
    const answer = await client.send({ body: toInitialize("2025-11-25"), headers });
    expect([answer.status, await answer.json()]).toMatchObject([200, { result: { protocolVersion: "2025-11-25" } }]);
  });
});

describe("isLegacyBody", () => {
  const modern = requestOf("tools/list");
  const legacy = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const word = { jsonrpc: "2.0", method: "notifications/cancelled" };
  const response = { jsonrpc: "2.0", id: 1, result: {} };

  it.each([
    // message, version header, session header, legacy?
    [modern, undefined, undefined, false],
    [modern, "2025-11-25", "s", false],
    [legacy, undefined, undefined, true],
    [legacy, "2025-06-18", undefined, true],
    [legacy, "2026-07-28", "s", false],
    [legacy, "2099-01-01", "s", false],
    [toInitialize("2025-03-26"), "2099-01-01", undefined, true],
    [toInitialize("2025-03-26"), "2026-07-28", undefined, false],
    [{ ...legacy, method: "server/discover" }, undefined, undefined, false],
    [word, undefined, undefined, false],
    [word, undefined, "s", true],
    [word, "2026-07-28", "s", false],
    [response, undefined, undefined, true],
    [response, "2026-07-28", "s", false],
    [[legacy], undefined, undefined, true],
    [[], "2025-03-26", "s", true],
    [[modern], "2026-07-28", undefined, false],
    [{}, undefined, "s", false],
    [null, undefined, "s", false],
    ["text", undefined, "s", false],
  ] as const)("%j with version %s and session %s: %s (D.4)", (message, version, session, isLegacy) => {
    const headers = (name: string) => (name === "mcp-session-id" ? session : version);
    expect(isLegacyBody(message, headers)).toBe(isLegacy);
  });
});
