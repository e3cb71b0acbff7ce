// One server at one URL receives every method of every era: no response contains members of the other era (D.4/7). The tests
// search bodies and headers as text, so that they find members in any place.
import {
  createSseDecoder,
  type DiscoverResult,
  isOffered,
  type JsonObject,
  metaKey,
  method,
  modelRevision,
  tasksExtension,
} from "@lethe/protocol";
import { type LegacyRevision, legacyMethod } from "@lethe/protocol/revisions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFixture } from "../../conformance/src/fixture.ts";

const fixture = createFixture();
const revisions: LegacyRevision[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Members that only modern messages have. The envelope of a request would show in an error that quotes it. */
const modernWords = new RegExp(
  `"(resultType|ttlMs|cacheScope|supportedVersions|supported|requestState|inputRequests|pollIntervalMs|${Object.values(
    metaKey,
  ).join("|")}|${tasksExtension})"|${modelRevision}`,
);
const modernCodes = [-32020, -32021, -32022];
const legacyWords =
  /"(protocolVersion|serverInfo|execution|taskSupport|ttl|pollInterval|elicitationId|io\.modelcontextprotocol\/related-task)":/;
const legacyCodes = [-32002, -32042];
const coreTasks: ReadonlySet<string> = new Set([
  legacyMethod.getTask,
  legacyMethod.getTaskResult,
  legacyMethod.listTasks,
  legacyMethod.cancelTask,
]);

const clientInfo = { name: "c", version: "1" };
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const uri = "test://static-text";

/** Valid params for each method of every era, and invalid params where the method has any. */
const params: Readonly<Record<string, { sound: (taskId: string) => JsonObject; broken?: JsonObject }>> = {
  "server/discover": { sound: () => ({}) },
  "tools/list": { sound: () => ({}), broken: { cursor: "none" } },
  "tools/call": {
    sound: () => ({ name: "test_tool_with_progress", arguments: {}, _meta: { progressToken: "p" } }),
    broken: { name: "none" },
  },
  "prompts/list": { sound: () => ({}), broken: { cursor: "none" } },
  "prompts/get": { sound: () => ({ name: "test_simple_prompt" }), broken: { name: "none" } },
  "resources/list": { sound: () => ({}), broken: { cursor: "none" } },
  "resources/templates/list": { sound: () => ({}), broken: { cursor: "none" } },
  "resources/read": { sound: () => ({ uri }), broken: { uri: "test://none" } },
  "completion/complete": {
    sound: () => ({
      ref: { type: "ref/prompt", name: "test_prompt_with_arguments" },
      argument: { name: "arg1", value: "t" },
    }),
    broken: { ref: { type: "none" } },
  },
  "subscriptions/listen": {
    sound: () => ({ notifications: { toolsListChanged: true } }),
    broken: { notifications: 1 },
  },
  "tasks/get": { sound: (taskId) => ({ taskId }), broken: { taskId: "none" } },
  "tasks/update": { sound: (taskId) => ({ taskId, inputResponses: {} }), broken: { taskId: "none" } },
  "tasks/cancel": { sound: (taskId) => ({ taskId }), broken: { taskId: "none" } },
  "tasks/result": { sound: (taskId) => ({ taskId }), broken: { taskId: "none" } },
  "tasks/list": { sound: () => ({}), broken: { cursor: "none" } },
  initialize: {
    sound: () => ({ protocolVersion: "2025-11-25", capabilities, clientInfo }),
    broken: { protocolVersion: 1 },
  },
  ping: { sound: () => ({}) },
  "logging/setLevel": { sound: () => ({ level: "info" }), broken: { level: "none" } },
  "resources/subscribe": { sound: () => ({ uri: "test://watched-resource" }), broken: { uri: 1 } },
  "resources/unsubscribe": { sound: () => ({ uri: "test://watched-resource" }), broken: { uri: 1 } },
};

/** Every message up to the response. Stops reading a stream that stays open after its first message. */
async function messagesOf(response: Response): Promise<JsonObject[]> {
  if (response.headers.get("content-type") === "application/json") return [(await response.json()) as JsonObject];
  const messages: JsonObject[] = [];
  const decoder = createSseDecoder();
  const body = response.body?.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>;
  for await (const text of body) {
    for (const { data } of decoder.push(text)) if (data) messages.push(JSON.parse(data));
    if (messages.some((message) => "id" in message || isAcknowledgement(message))) break;
  }
  return messages;
}

const isAcknowledgement = (message: JsonObject): boolean =>
  message.method === "notifications/subscriptions/acknowledged";

interface Answer {
  headers: Headers;
  messages: JsonObject[];
  response: JsonObject;
}

async function post(body: JsonObject, more: Record<string, string>): Promise<Answer> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...more };
  const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await fixture.fetch(request);
  const messages = await messagesOf(answer);
  return { headers: answer.headers, messages, response: messages.at(-1) ?? {} };
}

/** Sends a request of a modern client, which may name a session. */
function askModern(name: string, sound: JsonObject, session?: string): Promise<Answer> {
  const _meta = {
    [metaKey.protocolVersion]: modelRevision,
    [metaKey.clientCapabilities]: { ...capabilities, extensions: { [tasksExtension]: {} } },
    ...(sound._meta as JsonObject),
  };
  const target = sound.name ?? sound.uri ?? sound.taskId;
  return post(
    { jsonrpc: "2.0", id: 1, method: name, params: { ...sound, _meta } },
    {
      "mcp-protocol-version": modelRevision,
      "mcp-method": name,
      ...(typeof target === "string" && { "mcp-name": target }),
      ...(session !== undefined && { "mcp-session-id": session }),
    },
  );
}

function expectNothing(messages: readonly JsonObject[], words: RegExp, codes: readonly number[]): void {
  for (const message of messages) {
    expect(JSON.stringify(message)).not.toMatch(words);
    expect(codes).not.toContain((message.error as JsonObject | undefined)?.code);
  }
}

it("the table of requests contains every method of every era that the server offers", async () => {
  const { response } = await askModern(method.discover, {});
  const offered = (response.result as unknown as DiscoverResult).capabilities;
  const all = [...Object.values(method), ...Object.values(legacyMethod)].filter((name) => isOffered(name, offered));
  expect(Object.keys(params).sort()).toEqual([...new Set(all)].sort());
});

afterAll(() => fixture.close());

describe.each(revisions)("beside a session of %s", (revision) => {
  const hasCoreTasks = revision === "2025-11-25";
  let session: string;
  let taskId: string;

  function askOld(name: string, sound: JsonObject): Promise<Answer> {
    const headers = { "mcp-protocol-version": revision, "mcp-session-id": session };
    return post({ jsonrpc: "2.0", id: 1, method: name, params: sound }, headers);
  }

  beforeAll(async () => {
    const initialize = { protocolVersion: revision, capabilities, clientInfo };
    const body = { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize };
    const begun = await post(body, {});
    session = begun.headers.get("mcp-session-id") ?? "";
    const call = { name: "confirm_delete", arguments: { filename: "x" } };
    // A client without tasks would wait for the end of this call, which requests input.
    const { response } = hasCoreTasks
      ? await askOld("tools/call", { ...call, task: {} })
      : await askModern("tools/call", call);
    const { task = response.result } = response.result as { task?: unknown };
    ({ taskId } = task as { taskId: string });
  });

  const modernOnly = new Set<string>([method.discover, method.listen, method.updateTask]);
  const oldOnly = new Set<string>(Object.values(legacyMethod).filter((name) => !coreTasks.has(name)));
  const kinds = ["sound", "broken"] as const;
  const cases = Object.entries(params).flatMap(([name, { sound, broken }]) =>
    kinds
      .filter((kind) => kind === "sound" || broken)
      // An unanswered task has no result, and a cancelled one is useless for later tests.
      .filter((kind) => kind === "broken" || (name !== "tasks/result" && name !== "tasks/cancel"))
      .map((kind) => ({ name, kind, paramsOf: kind === "sound" ? sound : () => broken ?? {} })),
  );

  it.each(cases)(
    "a legacy client gets no modern members in the response to $name with $kind params",
    async ({ name, kind, paramsOf }) => {
      const { headers, messages, response } = await askOld(name, paramsOf(taskId));
      const isServed = !modernOnly.has(name) && (hasCoreTasks || !coreTasks.has(name));
      expect([name, "result" in response]).toEqual([name, isServed && kind === "sound"]);
      // A method that no older revision has is answered like an invalid modern message.
      expectNothing(messages, modernOnly.has(name) ? /"resultType"/ : modernWords, modernCodes);
      expect(name === "initialize" && kind === "sound").toBe(headers.has("mcp-session-id"));
    },
  );

  it.each(cases)(
    "a modern client gets no legacy members in the response to $name with $kind params",
    async ({ name, kind, paramsOf }) => {
      for (const named of [undefined, session]) {
        const { headers, messages, response } = await askModern(name, paramsOf(taskId), named);
        const isServed =
          !oldOnly.has(name) && !(coreTasks.has(name) && !(name in { "tasks/get": 1, "tasks/cancel": 1 }));
        const last = isAcknowledgement(response) ? { result: {} } : response;
        expect([name, "result" in last]).toEqual([name, isServed && kind === "sound"]);
        if (!isServed) expect(response.error).toMatchObject({ code: -32601 });
        expectNothing(messages, legacyWords, legacyCodes);
        expect(headers.has("mcp-session-id")).toBe(false);
      }
    },
  );

  it("the streams of a legacy and a modern client each report changes in the form of their revision", async () => {
    const headers = { accept: "text/event-stream", "mcp-protocol-version": revision, "mcp-session-id": session };
    const stream = await fixture.fetch(new Request("http://localhost/mcp", { headers }));
    const old = readOne(stream, "notifications/tools/list_changed");
    const modern = await fixture.fetch(toListen());
    const acknowledged = readOne(modern.clone(), "notifications/subscriptions/acknowledged");
    await Promise.all([acknowledged, askOld("tools/list", {})]);
    const told = readOne(modern, "notifications/tools/list_changed");
    fixture.toolsChanged();
    expect(await old).toEqual({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    expect(await told).toMatchObject({ params: { _meta: { [metaKey.subscriptionId]: 1 } } });
  });
});

function toListen(): Request {
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {} };
  const listen = { notifications: { toolsListChanged: true }, _meta };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": modelRevision,
    "mcp-method": method.listen,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: method.listen, params: listen });
  return new Request("http://localhost/mcp", { method: "POST", headers, body });
}

async function readOne(response: Response, name: string): Promise<JsonObject> {
  const decoder = createSseDecoder();
  const body = response.body?.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>;
  for await (const text of body) {
    for (const { data } of decoder.push(text)) {
      const message = data ? (JSON.parse(data) as JsonObject) : {};
      if (message.method === name) return message;
    }
  }
  throw new Error(`the stream ended without ${name}`);
}
