// A legacy server asks in the middle of a call, and the caller answers with a retry (D-51, E.3).
import { type InputRequiredResult, isInputRequired, type JsonObject, metaKey, type Result } from "@lethe/protocol";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connectLegacy } from "./connect-legacy.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  type Answer,
  createFakeExchange,
  createFakeLegacyServer,
  type FakeExchange,
  type FakeLegacyServer,
  letGo,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

const form = { message: "name?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } };
const accepted = { action: "accept", content: { name: "Ann" } };
const sampled = { role: "assistant", model: "m", content: { type: "text", text: "t" } };
const sampling = { messages: [], maxTokens: 5 };
/** Requests of one conversation belong to one user. */
const ofOneUser = () => createFakeExchange(undefined, "one");
const declares = (capabilities: JsonObject): JsonObject => ({ [metaKey.clientCapabilities]: capabilities });

async function connected(options: Partial<LegacyOptions> = {}, answers: Record<string, Answer> = {}) {
  const server = createFakeLegacyServer({ tools: {}, prompts: {}, resources: {} }, answers);
  const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" }, ...options });
  onTestFinished(() => connection.close());
  const ask = (method: string, params?: JsonObject, meta?: JsonObject, exchange: FakeExchange = createFakeExchange()) =>
    letGo(connection.dispatch(modernRequest(method, params, meta), exchange));
  const call = (params: JsonObject = {}, meta?: JsonObject, exchange?: FakeExchange) =>
    ask("tools/call", { name: "t", ...params }, meta, exchange);
  return { server, connection, ask, call };
}

/** Starts a call, lets the server ask about it, and returns the round that the caller gets. */
async function asked(server: FakeLegacyServer, call: () => Promise<Result>, ...methods: string[]) {
  const running = call();
  const { id } = await server.nextRequest("tools/call");
  for (const [index, method] of methods.entries()) server.ask(`s${index + 1}`, method, paramsOf(method));
  return { id, round: asRound(await running) };
}

function paramsOf(method: string): JsonObject {
  if (method === "elicitation/create") return form;
  return method === "sampling/createMessage" ? sampling : {};
}

function asRound(result: Result): InputRequiredResult & { requestState: string } {
  if (!isInputRequired(result) || result.requestState === undefined) throw new Error("input_required expected");
  return { ...result, requestState: result.requestState };
}

const callsSeen = ({ received }: FakeLegacyServer) =>
  received.filter((m) => "method" in m && m.method === "tools/call");

afterEach(() => {
  vi.useRealTimers();
});

describe("input requests of a legacy server", () => {
  it("an input request ends the round, and its answer continues the same call (D-51)", async () => {
    const { server, call } = await connected();
    const { id, round } = await asked(server, call, "elicitation/create");
    expect(round).toEqual({
      resultType: "input_required",
      inputRequests: { q1: { method: "elicitation/create", params: form } },
      requestState: expect.any(String),
      _meta: { [metaKey.serverInfo]: { name: "fake", version: "1" } },
    });
    const retry = call({ inputResponses: { q1: accepted }, requestState: round.requestState });
    expect(await server.nextResponse("s1")).toEqual({ jsonrpc: "2.0", id: "s1", result: accepted });
    server.say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "hi Ann" }] } });
    expect(await retry).toMatchObject({ resultType: "complete", content: [{ text: "hi Ann" }] });
    expect(callsSeen(server)).toHaveLength(1);
  });

  it("collects concurrent input requests in one round", async () => {
    const { server, call } = await connected();
    const { round } = await asked(server, call, "elicitation/create", "sampling/createMessage", "roots/list");
    expect(Object.values(round.inputRequests ?? {}).map(({ method }) => method)).toEqual([
      "elicitation/create",
      "sampling/createMessage",
      "roots/list",
    ]);
  });

  it("an input request that arrives between two rounds becomes part of the next round", async () => {
    const { server, call } = await connected();
    const { id, round } = await asked(server, call, "elicitation/create");
    server.ask("late", "roots/list");
    const next = asRound(await call({ inputResponses: { q1: accepted }, requestState: round.requestState }));
    expect(next.inputRequests).toEqual({ q2: { method: "roots/list", params: {} } });
    expect(next.requestState).not.toBe(round.requestState);
    const last = call({ inputResponses: { q2: { roots: [] } }, requestState: next.requestState });
    await server.nextResponse("late");
    server.say({ jsonrpc: "2.0", id, result: { content: [] } });
    expect(await last).toMatchObject({ resultType: "complete" });
  });

  it("repeats an input request without a response (E-29)", async () => {
    const { server, call } = await connected();
    const { round } = await asked(server, call, "elicitation/create", "roots/list");
    const retry = { inputResponses: { q1: accepted, other: 1 }, requestState: round.requestState };
    expect(asRound(await call(retry)).inputRequests).toEqual({ q2: { method: "roots/list", params: {} } });
    expect(await server.nextResponse("s1")).toMatchObject({ result: accepted });
  });

  it("rejects an invalid response with -32602 and accepts a valid one afterwards (E-29)", async () => {
    const { server, call } = await connected();
    const { round } = await asked(server, call, "elicitation/create");
    const { requestState } = round;
    for (const wrong of [7, {}, { action: "maybe" }, sampled]) {
      await expect(call({ inputResponses: { q1: wrong }, requestState })).rejects.toMatchObject({ code: -32602 });
    }
    void call({ inputResponses: { q1: { action: "decline" } }, requestState });
    expect(await server.nextResponse("s1")).toMatchObject({ result: { action: "decline" } });
  });

  it("drops an input request that the server cancels", async () => {
    const { server, call } = await connected();
    const running = call();
    const { id } = await server.nextRequest("tools/call");
    server.ask("s1", "roots/list");
    server.tell("notifications/cancelled", { requestId: "s1" });
    server.ask("s2", "elicitation/create", form);
    const round = asRound(await running);
    expect(Object.keys(round.inputRequests ?? {})).toEqual(["q2"]);
    server.tell("notifications/cancelled", { requestId: "s2" });
    const retry = call({ inputResponses: { q2: accepted }, requestState: round.requestState });
    server.say({ jsonrpc: "2.0", id, result: { content: [] } });
    expect(await retry).toMatchObject({ resultType: "complete" });
    expect(server.received.some((m) => "id" in m && m.id === "s2")).toBe(false);
  });

  it("removes members that exist only in legacy revisions: elicitationId, enumNames, includeContext, _meta (J-75)", async () => {
    const { server, call } = await connected();
    const running = call();
    await server.nextRequest("tools/call");
    server.ask(1, "elicitation/create", {
      mode: "url",
      message: "go",
      url: "https://x",
      elicitationId: "e",
      _meta: {},
    });
    const field = { type: "string", enum: ["a", "b"], enumNames: ["A"] };
    server.ask(2, "elicitation/create", { ...form, requestedSchema: { type: "object", properties: { field } } });
    server.ask(3, "sampling/createMessage", { ...sampling, includeContext: "thisServer", _meta: { progressToken: 1 } });
    const choice = [
      { const: "a", title: "A" },
      { const: "b", title: "b" },
    ];
    expect(asRound(await running).inputRequests).toEqual({
      q1: { method: "elicitation/create", params: { mode: "url", message: "go", url: "https://x" } },
      q2: {
        method: "elicitation/create",
        params: {
          message: "name?",
          requestedSchema: { type: "object", properties: { field: { type: "string", oneOf: choice } } },
        },
      },
      q3: { method: "sampling/createMessage", params: sampling },
    });
  });
});

describe("rejected input requests", () => {
  it.each([
    ["roots/list", {}, -32601],
    ["sampling/createMessage", sampling, -32601],
    ["elicitation/create", form, -32602],
    ["elicitation/create", { mode: "url", message: "m", url: "https://x" }, -32602],
  ])(
    "rejects %s if the caller did not declare the capability, and the call continues (E-23)",
    async (method, params, code) => {
      const { server, call } = await connected();
      const running = call({}, declares({}));
      const { id } = await server.nextRequest("tools/call");
      server.ask("s", method, params);
      expect(await server.nextResponse("s")).toMatchObject({ error: { code } });
      server.say({ jsonrpc: "2.0", id, result: { content: [] } });
      expect(await running).toMatchObject({ resultType: "complete" });
    },
  );

  it("rejects a sampling request with tools if the caller declared sampling without tools (E-96)", async () => {
    const { server, call } = await connected();
    void call({}, declares({ sampling: {} }));
    await server.nextRequest("tools/call");
    server.ask("s", "sampling/createMessage", { ...sampling, tools: [] });
    expect(await server.nextResponse("s")).toMatchObject({ error: { code: -32601 } });
  });

  it.each([
    ["elicitation/create", { message: 1 }],
    ["elicitation/create", { message: "m" }],
    ["elicitation/create", { mode: "url", message: "m" }],
    ["sampling/createMessage", {}],
  ])("rejects an input request with invalid params of %s", async (method, params) => {
    const { server, call } = await connected();
    void call();
    await server.nextRequest("tools/call");
    server.ask("s", method, params);
    expect(await server.nextResponse("s")).toMatchObject({ error: { code: -32602 } });
  });

  it("rejects an input request when maxPending calls already wait", async () => {
    const { server, call } = await connected({ maxPending: 1 });
    await asked(server, () => call({}, {}, ofOneUser()), "roots/list");
    void call({ name: "other" }, {}, ofOneUser());
    await server.next((m): m is never => "params" in m && m.params?.name === "other");
    server.ask("two", "roots/list");
    expect(await server.nextResponse("two")).toMatchObject({ error: { code: -1 } });
  });

  it("rejects an input request that belongs to no call (D-23)", async () => {
    const { server, ask } = await connected();
    server.ask(1, "roots/list");
    server.ask(2, "sampling/createMessage", sampling);
    void ask("tools/list");
    server.ask(3, "elicitation/create", form);
    server.ask(4, "tasks/get", {});
    const codes = [-32601, -32602, -32602, -32601];
    for (const [index, code] of codes.entries()) {
      expect(await server.nextResponse(index + 1)).toMatchObject({ error: { code } });
    }
  });
});

describe("configured roots", () => {
  it("answers every roots/list at once from the configured roots, inside and outside of a call", async () => {
    const roots = [{ uri: "file:///a" }];
    const { server, call } = await connected({ roots });
    server.ask(1, "roots/list");
    void call({}, declares({}));
    await server.nextRequest("tools/call");
    server.ask(2, "roots/list");
    expect([await server.nextResponse(1), await server.nextResponse(2)]).toMatchObject([
      { result: { roots } },
      { result: { roots } },
    ]);
  });
});

describe("roots outside of a call", () => {
  const roots = { roots: [{ uri: "file:///a" }] };
  const canGiveRoots = declares({ roots: {} });

  it("answers roots/list outside of a call with the roots that the caller sent last", async () => {
    const { server, call } = await connected({ hasOneCaller: true });
    const { id, round } = await asked(server, () => call({}, canGiveRoots), "roots/list");
    const retry = call({ inputResponses: { q1: roots }, requestState: round.requestState }, canGiveRoots);
    expect(await server.nextResponse("s1")).toMatchObject({ result: roots });
    server.say({ jsonrpc: "2.0", id, result: { content: [] } });
    await retry;
    server.ask("later", "roots/list");
    expect(await server.nextResponse("later")).toMatchObject({ result: roots });
  });

  it("sends roots/list with the next call whose caller can answer, as after notifications/initialized", async () => {
    const { server, call } = await connected({ hasOneCaller: true });
    server.ask("early", "roots/list");
    server.ask("early too", "roots/list");
    void call({ name: "mute" }, declares({}), ofOneUser());
    const round = asRound(await call({ name: "speaking" }, canGiveRoots, ofOneUser()));
    expect(Object.values(round.inputRequests ?? {})).toEqual([
      { method: "roots/list", params: {} },
      { method: "roots/list", params: {} },
    ]);
    void call(
      { name: "speaking", inputResponses: { q1: roots, q2: roots }, requestState: round.requestState },
      canGiveRoots,
      ofOneUser(),
    );
    expect(await server.nextResponse("early")).toMatchObject({ result: roots });
    expect(await server.nextResponse("early too")).toMatchObject({ result: roots });
  });

  it("sends roots/list with a later call if the first ends before its caller is asked", async () => {
    const { server, call } = await connected({ hasOneCaller: true }, { "tools/call": () => ({ content: [] }) });
    server.ask("early", "roots/list");
    expect(await call({}, canGiveRoots)).toMatchObject({ content: [] });
    expect(server.received.some((message) => "id" in message && message.id === "early")).toBe(false);
  });

  it("rejects roots/list outside of a call on a connection of several callers, and after a timeout", async () => {
    const shared = await connected();
    shared.server.ask("stray", "roots/list");
    expect(await shared.server.nextResponse("stray")).toMatchObject({ error: { code: -32601 } });
    vi.useFakeTimers();
    const owned = await connected({ hasOneCaller: true });
    owned.server.ask("stray", "roots/list");
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await owned.server.nextResponse("stray")).toMatchObject({ error: { code: -32601 } });
  });

  it("queues at most 16 roots/list requests outside of a call and rejects the next", async () => {
    const { server } = await connected({ hasOneCaller: true });
    for (let id = 1; id <= 17; id += 1) server.ask(id, "roots/list");
    expect(await server.nextResponse(17)).toMatchObject({ error: { code: -32601 } });
    expect(server.received.some((message) => "id" in message && message.id === 16)).toBe(false);
  });
});

describe("attribution of input requests in one conversation", () => {
  it("assigns an input request to the newest call that waits", async () => {
    const { server, call } = await connected();
    const first = await asked(server, () => call({ name: "first" }, {}, ofOneUser()), "roots/list");
    const second = call({ name: "second" }, {}, ofOneUser());
    await server.next((m): m is never => "params" in m && m.params?.name === "second");
    server.ask("x", "elicitation/create", form);
    expect(asRound(await second).inputRequests).toHaveProperty("q1.method", "elicitation/create");
    expect(first.round.inputRequests).toHaveProperty("q1.method", "roots/list");
  });

  it("assigns an input request to a call whose caller can answer it", async () => {
    const { server, call } = await connected();
    const first = call({ name: "first" }, {}, ofOneUser());
    void call({ name: "second" }, declares({ sampling: {} }), ofOneUser());
    await server.next((m): m is never => "params" in m && m.params?.name === "second");
    server.ask("x", "elicitation/create", form);
    expect(asRound(await first).inputRequests).toHaveProperty("q1.method", "elicitation/create");
  });

  it("spreads concurrent input requests over the calls, so that no caller waits for another's answer", async () => {
    const { server, call } = await connected();
    const calls = [call({ name: "first" }, {}, ofOneUser()), call({ name: "second" }, {}, ofOneUser())];
    await server.next((m): m is never => "params" in m && m.params?.name === "second");
    for (const id of ["x", "y", "z"]) server.ask(id, "roots/list");
    const rounds = (await Promise.all(calls)).map(asRound);
    expect(rounds.map(({ inputRequests }) => Object.keys(inputRequests ?? {}).length)).toEqual([1, 2]);
  });

  it("reassigns an open input request when the call that received it has ended", async () => {
    const { server, call } = await connected();
    const first = call({ name: "first" }, {}, ofOneUser());
    const { id, round } = await asked(server, () => call({ name: "second" }, {}, ofOneUser()), "elicitation/create");
    const second = await server.next((m): m is never => "params" in m && m.params?.name === "second");
    expect(id).not.toBe((second as { id?: unknown }).id);
    server.say({ jsonrpc: "2.0", id: (second as { id: number }).id, result: { content: [] } });
    const handed = asRound(await first);
    expect(handed.inputRequests).toHaveProperty("q1.method", "elicitation/create");
    expect(await call({ name: "second", requestState: round.requestState, inputResponses: {} })).toMatchObject({
      resultType: "complete",
    });
    void call({ name: "first", requestState: handed.requestState, inputResponses: { q1: accepted } });
    expect(await server.nextResponse("s1")).toMatchObject({ result: accepted });
  });
});

describe("requestState", () => {
  it("accepts a requestState once, from the same caller, method and target only (E-26)", async () => {
    const { server, ask, call } = await connected();
    const { round } = await asked(server, () => call({}, {}, createFakeExchange("ann")), "elicitation/create");
    const retry = { inputResponses: { q1: accepted }, requestState: round.requestState };
    const refused = { code: -32602, message: "invalid or expired requestState" };
    await expect(call(retry, {}, createFakeExchange("bob"))).rejects.toMatchObject(refused);
    await expect(call({ ...retry, name: "u" }, {}, createFakeExchange("ann"))).rejects.toMatchObject(refused);
    const asPrompt = ask("prompts/get", { name: "t", ...retry }, {}, createFakeExchange("ann"));
    await expect(asPrompt).rejects.toMatchObject(refused);
    await expect(call({ ...retry, requestState: "made up" })).rejects.toMatchObject(refused);
    void call(retry, {}, createFakeExchange("ann"));
    await server.nextResponse("s1");
    await expect(call(retry, {}, createFakeExchange("ann"))).rejects.toMatchObject(refused);
    expect(callsSeen(server)).toHaveLength(1);
  });

  it("returns the result when the server did not wait for the answer", async () => {
    const { server, call } = await connected();
    const { id, round } = await asked(server, call, "elicitation/create");
    server.say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done anyway" }] } });
    const retry = { inputResponses: { q1: accepted }, requestState: round.requestState };
    expect(await call(retry)).toMatchObject({ content: [{ text: "done anyway" }] });
    expect(callsSeen(server)).toHaveLength(1);
  });

  it("rejects the requestState of a call whose server died, with the reason", async () => {
    const { server, connection, call } = await connected();
    const { round } = await asked(server, call, "elicitation/create");
    server.die("s was killed by SIGKILL");
    await connection.closed;
    await expect(call({ requestState: round.requestState })).rejects.toMatchObject({
      message: "s was killed by SIGKILL",
    });
  });

  it("an expired requestState sends an error to the server and cancels the call (E-29)", async () => {
    vi.useFakeTimers();
    const { server, call } = await connected({ pendingTtlMs: 60_000 });
    const running = call();
    server.ask("s1", "elicitation/create", form);
    await vi.advanceTimersByTimeAsync(0);
    const round = asRound(await running);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await server.nextResponse("s1")).toMatchObject({ error: { code: -1 } });
    expect((await server.nextNotification("notifications/cancelled")).params).toMatchObject({ requestId: 2 });
    await expect(call({ requestState: round.requestState })).rejects.toMatchObject({ code: -32602 });
  });

  it("stops the call's time limit while the caller answers (E-36)", async () => {
    vi.useFakeTimers();
    const { server, call } = await connected({ timeoutMs: 1_000 });
    const running = call();
    server.ask("s1", "elicitation/create", form);
    await vi.advanceTimersByTimeAsync(0);
    const round = asRound(await running);
    await vi.advanceTimersByTimeAsync(5_000);
    const retry = call({ inputResponses: { q1: accepted }, requestState: round.requestState });
    const late = expect(retry).rejects.toMatchObject({ reason: "timeout" });
    await vi.advanceTimersByTimeAsync(3_000);
    await late;
  });

  it("uses the progress token and the signal of the new round", async () => {
    const { server, call } = await connected();
    const { id, round } = await asked(server, () => call({}, { progressToken: "first" }), "elicitation/create");
    server.tell("notifications/progress", { progressToken: id, progress: 1 });
    const exchange = createFakeExchange();
    const retry = { inputResponses: { q1: accepted }, requestState: round.requestState };
    const second = call(retry, { progressToken: "second" }, exchange);
    await server.nextResponse("s1");
    server.tell("notifications/progress", { progressToken: id, progress: 1 });
    expect(exchange.notes.map(({ params }) => params)).toEqual([{ progressToken: "second", progress: 1 }]);
    exchange.cancel();
    await expect(second).rejects.toMatchObject({ reason: "cancelled" });
    expect((await server.nextNotification("notifications/cancelled")).params).toMatchObject({ requestId: id });
  });
});

describe("URL elicitation by error -32042 (D-39)", () => {
  const elicitations = [{ mode: "url", message: "log in", url: "https://x/1", elicitationId: "e1" }];
  const needed = () => ({ error: { code: -32042, message: "needed", data: { elicitations } } });

  it("converts -32042 to input_required without state, and sends the retry as a new call", async () => {
    let calls = 0;
    const { call } = await connected({}, { "tools/call": () => (calls++ === 0 ? needed() : { content: [] }) });
    expect(await call()).toMatchObject({
      resultType: "input_required",
      inputRequests: { url1: { method: "elicitation/create", params: { mode: "url", url: "https://x/1" } } },
    });
    expect(await call({ inputResponses: { url1: { action: "accept" } } })).toMatchObject({ resultType: "complete" });
    expect(calls).toBe(2);
  });

  it("ends the call without another request when the user declines the URL elicitation", async () => {
    const { server, ask, call } = await connected({}, { "tools/call": needed });
    const inputResponses = { url1: { action: "decline" } };
    expect(await call({ inputResponses })).toMatchObject({ isError: true });
    await expect(ask("prompts/get", { name: "p", inputResponses })).rejects.toMatchObject({ code: -32602 });
    expect(callsSeen(server)).toHaveLength(0);
  });

  it("answers -32021 if the caller did not declare URL elicitation (A-43)", async () => {
    const { call } = await connected({}, { "tools/call": needed });
    await expect(call({}, declares({ elicitation: {} }))).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });
});
