// A legacy server on one stream asks for calls of several users: each request reaches its own call, or none (D-23, D-51).
import {
  type InputRequiredResult,
  isInputRequired,
  isRequest,
  type JsonObject,
  type JsonRpcRequest,
  metaKey,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { connectLegacy } from "./connect-legacy.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  createFakeExchange,
  createFakeLegacyServer,
  type FakeExchange,
  letGo,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

const form = { message: "name?", requestedSchema: { type: "object", properties: {} } };
const accepted = { action: "accept", content: {} };
/** A caller without input capabilities. */
const quiet = { [metaKey.clientCapabilities]: {} };

async function connected(options: Partial<LegacyOptions> = {}) {
  const server = createFakeLegacyServer({ tools: {} });
  const connection = await connectLegacy(server.wire, { clientInfo: { name: "c", version: "1" }, ...options });
  onTestFinished(() => connection.close());
  const call = (
    name: string,
    params: JsonObject = {},
    meta: JsonObject = {},
    exchange: FakeExchange = createFakeExchange(),
  ) => letGo(connection.dispatch(modernRequest("tools/call", { name, ...params }, meta), exchange));
  const sent = () =>
    server.received
      .filter(isRequest)
      .map(({ params }) => params?.name)
      .filter(Boolean);
  const idOf = async (name: string): Promise<RequestId> => {
    const request = await server.next((m): m is JsonRpcRequest => isRequest(m) && m.params?.name === name);
    return request.id;
  };
  const finish = async (name: string) => server.say({ jsonrpc: "2.0", id: await idOf(name), result: { content: [] } });
  /** Calls a tool to its end, so that it is known not to ask. */
  const teach = async (name: string) => {
    const running = call(name, {}, quiet);
    await finish(name);
    await running;
    server.received.length = 0;
  };
  return { server, connection, call, sent, idOf, finish, teach };
}

function asRound(result: Result): InputRequiredResult & { requestState: string } {
  if (!isInputRequired(result) || result.requestState === undefined) throw new Error("input_required expected");
  return { ...result, requestState: result.requestState };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("calls of several users to eliciting tools", () => {
  it("runs calls of several users to eliciting tools one after another, in order of arrival", async () => {
    const { call, sent, finish } = await connected();
    const all = ["a", "b", "c"].map((name) => call(name));
    expect(sent()).toEqual(["a"]);
    await finish("a");
    await all[0];
    expect(sent()).toEqual(["a", "b"]);
    await finish("b");
    await finish("c");
    await Promise.all(all);
  });

  it("delivers each input request to the call that the server is running", async () => {
    const { server, call, idOf, finish } = await connected();
    const first = call("ask");
    const second = call("ask", { arguments: { of: 2 } });
    await idOf("ask");
    server.ask("s1", "elicitation/create", form);
    const { requestState } = asRound(await first);
    const answered = call("ask", { requestState, inputResponses: { q1: accepted } });
    expect(await server.nextResponse("s1")).toMatchObject({ result: accepted });
    await finish("ask");
    await answered;
    const { id } = await server.next((m): m is JsonRpcRequest => isRequest(m) && isJson(m.params?.arguments));
    server.ask("s2", "elicitation/create", form);
    expect(asRound(await second).inputRequests).toHaveProperty("q1.method", "elicitation/create");
    expect(id).not.toBe(await idOf("ask"));
  });

  it("runs calls of one authenticated caller one after another, because it may stand for many users", async () => {
    const { call, sent } = await connected();
    void call("a", {}, {}, createFakeExchange("ann"));
    void call("b", {}, {}, createFakeExchange("ann"));
    expect(sent()).toEqual(["a"]);
  });

  it("runs calls of one conversation concurrently", async () => {
    const { call, sent } = await connected();
    void call("a", {}, {}, createFakeExchange(undefined, "one"));
    void call("b", {}, {}, createFakeExchange(undefined, "one"));
    void call("c", {}, {}, createFakeExchange(undefined, "other"));
    expect(sent()).toEqual(["a", "b"]);
  });

  it("rejects a call that waited turnWaitMs as busy, with a retry time", async () => {
    vi.useFakeTimers();
    const { call, sent } = await connected({ turnWaitMs: 10_000 });
    void call("a");
    const late = expect(call("b")).rejects.toMatchObject({ reason: "busy", retryAfterMs: 10_000 });
    await vi.advanceTimersByTimeAsync(10_000);
    await late;
    expect(sent()).toEqual(["a"]);
  });

  it("rejects a call at once as busy when maxWaitingCalls calls wait", async () => {
    const { call } = await connected({ maxWaitingCalls: 1 });
    void call("a");
    void call("b");
    await expect(call("c")).rejects.toMatchObject({ reason: "busy" });
  });

  it("removes a waiting call from the queue when its caller disconnects", async () => {
    const { server, call, sent, finish } = await connected();
    const gone = createFakeExchange();
    const first = call("a");
    const second = call("b", {}, {}, gone);
    const third = call("c");
    gone.cancel();
    await expect(second).rejects.toMatchObject({ reason: "cancelled" });
    await finish("a");
    await first;
    expect(sent()).toEqual(["a", "c"]);
    await finish("c");
    await third;
    expect(server.received.some((m) => "method" in m && m.method === "notifications/cancelled")).toBe(false);
  });

  it("rejects waiting and running calls when the connection closes", async () => {
    const { server, call } = await connected();
    const all = [call("a"), call("b")].map((running) => expect(running).rejects.toMatchObject({ reason: "lost" }));
    server.die("gone");
    await Promise.all(all);
  });
});

describe("calls without input requests", () => {
  it("runs calls concurrently when their callers declared no input capabilities", async () => {
    const { call, sent } = await connected();
    for (const name of ["a", "b", "c"]) void call(name, {}, quiet);
    expect(sent()).toEqual(["a", "b", "c"]);
  });

  it("runs calls of a tool concurrently once one call of it has ended without an input request", async () => {
    const { call, sent, teach } = await connected();
    await teach("plain");
    for (const of of [1, 2, 3]) void call("plain", { arguments: { of } });
    expect(sent()).toHaveLength(3);
  });

  it("runs other calls while a user answers, and resumes the answered call after them", async () => {
    const { server, call, sent, idOf, finish, teach } = await connected();
    await teach("plain");
    const asking = call("ask");
    await idOf("ask");
    server.ask("s1", "elicitation/create", form);
    const { requestState } = asRound(await asking);
    const plain = call("plain");
    expect(sent()).toEqual(["ask", "plain"]);
    const answered = call("ask", { requestState, inputResponses: { q1: accepted } });
    await Promise.resolve();
    expect(server.received.some((m) => "id" in m && m.id === "s1")).toBe(false);
    await finish("plain");
    await plain;
    expect(await server.nextResponse("s1")).toMatchObject({ result: accepted });
    server.ask("s2", "elicitation/create", form);
    expect(asRound(await answered).inputRequests).toHaveProperty("q2");
  });

  it("a call does not wait behind one that itself waits for another user's answer", async () => {
    const { server, call, sent, idOf, teach } = await connected();
    await teach("plain");
    const asking = call("ask");
    await idOf("ask");
    server.ask("s1", "elicitation/create", form);
    await asking;
    void call("ask too");
    void call("plain");
    await idOf("plain");
    expect(sent()).toEqual(["ask", "plain"]);
  });
});

describe("ambiguous input requests", () => {
  it("rejects an ambiguous input request, and runs the tools of the candidate calls alone from then on", async () => {
    const { server, call, sent, finish, teach } = await connected();
    await teach("a");
    await teach("b");
    const all = [call("a"), call("b")];
    server.ask("whose", "elicitation/create", form);
    expect(await server.nextResponse("whose")).toMatchObject({ error: { code: -32602 } });
    await finish("a");
    await finish("b");
    await Promise.all(all);
    server.received.length = 0;
    for (const name of ["a", "b"]) void call(name);
    expect(sent()).toEqual(["a"]);
  });

  it("rejects an input request that may belong to a cancelled call which the server has not confirmed as stopped", async () => {
    vi.useFakeTimers();
    const { server, call, idOf } = await connected();
    const gone = createFakeExchange();
    const cancelled = expect(call("slow", {}, {}, gone)).rejects.toMatchObject({ reason: "cancelled" });
    await idOf("slow");
    gone.cancel();
    await cancelled;
    void call("next");
    await vi.advanceTimersByTimeAsync(2_000);
    await idOf("next");
    server.ask("whose", "elicitation/create", form);
    expect(await server.nextResponse("whose")).toMatchObject({ error: { code: -32602 } });
    // Both are now known to ask, and one of them still may.
    await expect(call("next")).rejects.toMatchObject({ reason: "lost_track" });
  });

  it("does not send a call of an eliciting tool beside a cancelled call that may still be running", async () => {
    vi.useFakeTimers();
    const { server, call, idOf, sent } = await connected();
    const gone = createFakeExchange();
    const asking = call("ask");
    await idOf("ask");
    server.ask("s1", "elicitation/create", form);
    await vi.advanceTimersByTimeAsync(0);
    const { requestState } = asRound(await asking);
    const answered = call("ask", { requestState, inputResponses: { q1: accepted } }, {}, gone);
    await server.nextResponse("s1");
    const cancelled = expect(answered).rejects.toMatchObject({ reason: "cancelled" });
    gone.cancel();
    await cancelled;
    const next = expect(call("ask")).rejects.toMatchObject({ reason: "lost_track" });
    await vi.advanceTimersByTimeAsync(2_000);
    await next;
    expect(sent()).toEqual(["ask"]);
  });

  it("rejects calls of eliciting tools on a connection that has lost track of its cancelled calls", async () => {
    const { server, call, idOf } = await connected();
    const exchanges = Array.from({ length: 1_001 }, () => createFakeExchange());
    const cancelled = exchanges.map((exchange) =>
      expect(call("slow", {}, quiet, exchange)).rejects.toMatchObject({ reason: "cancelled" }),
    );
    for (const exchange of exchanges) exchange.cancel();
    await Promise.all(cancelled);
    const ids = server.received.filter(isRequest).filter(({ params }) => params?.name === "slow");
    for (const { id } of ids) server.say({ jsonrpc: "2.0", id, result: { content: [] } });
    void call("ask");
    await idOf("ask");
    server.ask("whose", "elicitation/create", form);
    expect(await server.nextResponse("whose")).toMatchObject({ error: { code: -32602 } });
    await expect(call("ask")).rejects.toMatchObject({ reason: "lost_track" });
  });

  it("attributes input requests again once the server has answered the cancelled call", async () => {
    const { server, call, idOf } = await connected();
    const gone = createFakeExchange();
    const cancelled = expect(call("slow", {}, {}, gone)).rejects.toMatchObject({ reason: "cancelled" });
    const id = await idOf("slow");
    gone.cancel();
    await cancelled;
    const next = call("next");
    server.say({ jsonrpc: "2.0", id, error: { code: 0, message: "Request cancelled" } });
    await idOf("next");
    server.ask("s", "elicitation/create", form);
    expect(asRound(await next).inputRequests).toHaveProperty("q1.method", "elicitation/create");
  });

  it("delivers an input request to the call on whose stream it arrived", async () => {
    const { server, call, idOf, teach } = await connected();
    await teach("a");
    await teach("b");
    const first = call("a");
    void call("b");
    server.ask("s", "elicitation/create", form, await idOf("a"));
    expect(asRound(await first)._meta).not.toHaveProperty("lethe/uncertain");
  });

  it("marks an input request as uncertain when it may belong to another call of the conversation", async () => {
    const { server, call, idOf } = await connected();
    void call("a", {}, {}, createFakeExchange(undefined, "one"));
    const second = call("b", {}, {}, createFakeExchange(undefined, "one"));
    await idOf("b");
    server.ask("s", "elicitation/create", form);
    expect(asRound(await second)._meta).toMatchObject({ "lethe/uncertain": true });
  });

  it("ignores an input request with the id of an open one, because their answers would be indistinguishable", async () => {
    const { server, call, idOf } = await connected();
    const running = call("ask");
    await idOf("ask");
    server.ask("same", "elicitation/create", form);
    server.ask("same", "elicitation/create", form);
    const { requestState, inputRequests } = asRound(await running);
    expect(Object.keys(inputRequests ?? {})).toEqual(["q1"]);
    void call("ask", { requestState, inputResponses: { q1: accepted } });
    await server.nextResponse("same");
    expect(server.received.filter((m) => "id" in m && m.id === "same")).toHaveLength(1);
  });
});

describe("configured eliciting tools", () => {
  const elicits = (name: string) => name === "ask";

  it("runs configured eliciting tools alone, and all other tools beside them", async () => {
    const { server, call, sent, idOf } = await connected({ elicits });
    const first = call("ask");
    for (const name of ["b", "c"]) void call(name);
    void call("ask", { arguments: { of: 2 } });
    expect(sent()).toEqual(["ask", "b", "c"]);
    await idOf("ask");
    server.ask("s", "elicitation/create", form);
    expect(asRound(await first).inputRequests).toHaveProperty("q1");
  });

  it("stops trusting the configured list when another tool sends an input request", async () => {
    const { server, call, sent, idOf } = await connected({ elicits });
    const other = call("other");
    await idOf("other");
    server.ask("s", "elicitation/create", form);
    expect(asRound(await other).inputRequests).toHaveProperty("q1");
    void call("third");
    expect(sent()).toEqual(["other"]);
  });
});

function isJson(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
