import { TransportError } from "@lethe/client";
import { type PendingCallLimits, PendingCalls } from "@lethe/client/edge";
import {
  type Dispatch,
  type Exchange,
  isInputRequired,
  type JsonObject,
  McpError,
  metaKey,
  method,
  missingClientCapability,
  overloaded,
  type Result,
} from "@lethe/protocol";
import { createSeal, createSingleUse } from "@lethe/server/edge";
import {
  createKeyRing,
  createLocalDirectory,
  createMemorySingleUseStore,
  type Directory,
  ReplicaError,
  type SingleUseStore,
} from "@lethe/server/stores";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AskingUpstream, createAskingUpstream, type Elicitations } from "../testing/asking-upstream.ts";
import {
  createFakeConnection,
  createFakeExchange,
  createFakeSessions,
  done,
  type FakeUpstream,
  requestOf,
} from "../testing/fakes.ts";
import { noCallTasks } from "../testing/no-tasks.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { CallForwarder } from "./call-forwarder.ts";
import type { UpstreamTarget } from "./forwarded-call.ts";
import type { GatewayPendingCalls } from "./pending-call.ts";
import { createRequestStateSeal, type RequestStateSeal } from "./request-state.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] }),
);
afterEach(() => void vi.useRealTimers());

const ring = createKeyRing();

interface Setup extends FakeUpstream {
  questions?: Elicitations;
  /** What an answer leads to at the upstream. */
  onAnswer?: () => Promise<Result>;
  limits?: PendingCallLimits;
  target?: Partial<UpstreamTarget>;
  seal?: RequestStateSeal;
  store?: SingleUseStore;
  /** What serves the upstream now. Default: what did when it was set up. */
  current?: () => UpstreamSessions;
}

function setUp({
  questions = {},
  onAnswer,
  limits = {},
  target: more,
  directory = createLocalDirectory(),
  seal,
  current,
  store = createMemorySingleUseStore(),
  ...upstream
}: Setup = {}) {
  const upstreams: AskingUpstream[] = [];
  const pendingCalls: GatewayPendingCalls = new PendingCalls({ ...limits, whenFull: "fail-call" });
  const { sessions, opened } = createFakeSessions(
    { directory, onSessionEnd: (ended) => pendingCalls.drop(({ holder }) => holder?.session === ended), ...upstream },
    () => {
      const asking = createAskingUpstream(questions, { pendingCalls, ...(onAnswer && { onAnswer }) });
      upstreams.push(asking);
      return asking.connection;
    },
  );
  const forwarder = new CallForwarder({
    seal: seal ?? createRequestStateSeal(createSeal(ring, { server: "g", ttlMs: pendingCalls.ttlMs })),
    ...{ directory, pendingCalls, path: "/mcp", tasks: noCallTasks },
    singleUse: createSingleUse(store),
    currentOf: () => current?.() ?? sessions,
    retiredOf: (name) => (name === sessions.name ? [sessions] : []),
  });
  const target: UpstreamTarget = { sessions, params: { name: "tool" }, ...more };

  /** One round, as a caller sends it. */
  async function send(
    params: JsonObject = {},
    callerId?: string,
    capabilities?: JsonObject,
    exchange: Exchange = createFakeExchange(callerId),
  ): Promise<Result> {
    const request = requestOf(
      method.callTool,
      { name: "up__tool", arguments: {}, ...params },
      capabilities ? { capabilities } : {},
    );
    return forwarder.forward(target, request, exchange, await forwarder.open(request, exchange));
  }

  const answer = (result: Result, name: string): JsonObject => ({
    requestState: result.requestState,
    inputResponses: { q: { action: "accept", content: { name } } },
  });
  return { sessions, opened, upstreams, pendingCalls, send, answer, forwarder, target };
}

describe("an elicitation during a forwarded call", () => {
  it("forwards an elicitation to the caller and the answer to the pending call, so the tool runs once (D-51)", async () => {
    const { send, answer, upstreams, pendingCalls } = setUp({ questions: { tool: ["Who?", "Sure?"] } });
    const first = await send();
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: { q: { params: { message: "Who?" } } },
      _meta: { [metaKey.serverInfo]: { name: "lethe-gateway" } },
    });
    expect(pendingCalls.size).toBe(1);
    const second = await send(answer(first, "Ann"));
    expect(second).toMatchObject({ inputRequests: { q: { params: { message: "Sure?" } } } });
    expect(await send(answer(second, "yes"))).toMatchObject({ content: [{ text: "Ann yes" }] });
    expect(upstreams[0]?.ran).toEqual(["tool"]);
    expect(pendingCalls.size).toBe(0);
  });

  it("holds an answer while the store of used answers is away, so the upstream gets it once", async () => {
    // The digest of an answer is computed in another thread, which fake time does not wait for.
    vi.useRealTimers();
    const memory = createMemorySingleUseStore();
    let failures = 3;
    const claim: SingleUseStore["claim"] = (round) => {
      if (failures-- > 0) throw overloaded("is away", 1_000, { reason: "unavailable" });
      return memory.claim(round);
    };
    const { send, answer, upstreams } = setUp({ questions: { tool: ["Who?"] }, store: { ...memory, claim } });
    expect(await send(answer(await send(), "Ann"))).toMatchObject({ content: [{ text: "Ann" }] });
    expect(upstreams[0]?.ran).toEqual(["tool"]);
  });

  it("never shows the state of the upstream in an input_required result (J-55)", async () => {
    const { send } = setUp({ questions: { tool: ["Who?"] } });
    const { requestState } = await send();
    expect(requestState).toMatch(/^1\.[\w-]+\.[\w-]+$/);
    expect(Buffer.from(String(requestState).split(".")[2] as string, "base64url").toString("latin1")).not.toContain(
      "token",
    );
  });

  it("cancels a pending call whose caller disconnects or cancels before it can answer (J-63)", async () => {
    const { send, upstreams, pendingCalls } = setUp({ questions: { tool: ["Who?"] } });
    const exchange = createFakeExchange();
    await send({}, undefined, undefined, exchange);
    expect(pendingCalls.size).toBe(1);
    exchange.leave();
    expect(pendingCalls.size).toBe(0);
    await vi.waitFor(() => expect(upstreams[0]?.cancelled).toEqual(["tool"]));
  });

  it("ignores a disconnect of the first caller after its call was answered", async () => {
    const { send, answer, upstreams, pendingCalls } = setUp({ questions: { tool: ["Who?", "Sure?"] } });
    const exchange = createFakeExchange();
    const second = await send(answer(await send({}, undefined, undefined, exchange), "Ann"));
    exchange.leave();
    expect(pendingCalls.size).toBe(1);
    expect(await send(answer(second, "yes"))).toMatchObject({ content: [{ text: "Ann yes" }] });
    expect(upstreams[0]?.received).toHaveLength(3);
    expect(upstreams[0]?.cancelled).toEqual([]);
  });

  it("cancels a call whose state cannot be sealed and leaves nothing pending", async () => {
    const failing: RequestStateSeal = {
      seal: () => Promise.reject(new Error("no keys")),
      open: () => Promise.reject(new Error("no keys")),
    };
    const { send, upstreams, pendingCalls } = setUp({ questions: { tool: ["Who?"] }, seal: failing });
    await expect(send()).rejects.toThrow("no keys");
    expect(pendingCalls.size).toBe(0);
    await vi.waitFor(() => expect(upstreams[0]?.cancelled).toEqual(["tool"]));
  });

  it("does not forward an elicitation to a caller without the capability (E-23)", async () => {
    const { send, upstreams } = setUp({ questions: { tool: ["Who?"] } });
    await expect(send({}, undefined, { sampling: {} })).rejects.toMatchObject(
      missingClientCapability({ elicitation: { form: {} } }),
    );
    await vi.waitFor(() => expect(upstreams[0]?.cancelled).toEqual(["tool"]));
  });

  it.each([
    { q: null },
    { q: "Who?" },
    { q: { method: "tools/call", params: {} } },
    { q: { method: "elicitation/create" } },
    "Who?",
  ])("reports malformed input requests (%j) as an error of the upstream", async (inputRequests) => {
    const asking = { resultType: "input_required", inputRequests, requestState: "inner" };
    const { send } = setUp({ connect: async () => createFakeConnection({ dispatch: async () => asking }) });
    await expect(send()).rejects.toMatchObject({ code: -32603, data: { reason: "invalid" } });
  });

  it("adds params to a roots/list request without them, because some clients require params", async () => {
    const inputRequests = { q: { method: "roots/list" } };
    const asking = { resultType: "input_required", inputRequests, requestState: "inner" };
    const { send } = setUp({ connect: async () => createFakeConnection({ dispatch: async () => asking }) });
    const first = await send({}, undefined, { roots: {} });
    expect(first.inputRequests).toEqual({ q: { method: "roots/list", params: {} } });
  });

  it("accepts another answer after one that does not match the elicitation (E-29)", async () => {
    const { send, answer } = setUp({ questions: { tool: ["Who?"] } });
    const question = await send();
    await expect(send({ ...answer(question, ""), inputResponses: { q: "Ann" } })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await send(answer(question, "Ann"))).toMatchObject({ content: [{ text: "Ann" }] });
  });

  it("ends an answered call when the upstream fails with the error for a mismatched answer", async () => {
    const onAnswer = () => Promise.reject(new McpError(-32602, "no such person"));
    const { send, answer, pendingCalls } = setUp({ questions: { tool: ["Who?"] }, onAnswer });
    const asked = await send();
    await expect(send(answer(asked, "Ann"))).rejects.toMatchObject({ code: -32602, message: "no such person" });
    expect(pendingCalls.size).toBe(0);
  });

  it("rejects a second answer when the session of the call has ended", async () => {
    const onAnswer = async () => {
      opened[0]?.end("killed");
      await vi.advanceTimersByTimeAsync(0);
      throw new McpError(-32602, "too late");
    };
    const { send, answer, pendingCalls, opened } = setUp({ questions: { tool: ["Who?"] }, onAnswer });
    const asked = await send();
    await expect(send(answer(asked, "Ann"))).rejects.toMatchObject({ code: -32602, message: "too late" });
    await expect(send(answer(asked, "Ann"))).rejects.toMatchObject({ code: -32602, message: "too late" });
    expect(pendingCalls.size).toBe(0);
  });
});

describe("the requestState of a forwarded call", () => {
  it("rejects a requestState sealed for a tool of the same name at another upstream", async () => {
    const { send, answer, forwarder, target } = setUp({ questions: { tool: ["Who?"] } });
    const question = await send();
    const request = requestOf(method.callTool, { name: "up__tool", arguments: {}, ...answer(question, "Ann") });
    const other = { ...target, sessions: setUp({ name: "other" }).sessions };
    const exchange = createFakeExchange();
    const state = await forwarder.open(request, exchange);
    await expect(async () => forwarder.forward(other, request, exchange, state)).rejects.toMatchObject({
      code: -32602,
    });
  });

  it.each<[string, JsonObject, string | undefined]>([
    ["of another caller", {}, "bob"],
    ["with other arguments", { arguments: { x: 1 } }, "ann"],
    ["of another tool", { name: "up__other" }, "ann"],
  ])("rejects a requestState sealed for the call %s", async (_, change, callerId) => {
    const { send, answer } = setUp({ questions: { tool: ["Who?"] } });
    const question = await send({}, "ann");
    await expect(send({ ...answer(question, "x"), ...change }, callerId)).rejects.toMatchObject({ code: -32602 });
    expect(await send(answer(question, "Ann"), "ann")).toMatchObject({ content: [{ text: "Ann" }] });
  });

  it("accepts a requestState once", async () => {
    const { send, answer } = setUp({ questions: { tool: ["Who?"] } });
    const question = await send();
    await send(answer(question, "Ann"));
    await expect(send(answer(question, "Bob"))).rejects.toMatchObject({ code: -32602 });
  });

  it("rejects an expired requestState and cancels its call", async () => {
    const { send, answer, pendingCalls } = setUp({ questions: { tool: ["Who?"] }, limits: { pendingTtlMs: 1_000 } });
    const question = await send();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(pendingCalls.size).toBe(0);
    await expect(send(answer(question, "x"))).rejects.toMatchObject({ code: -32602 });
  });

  it("rejects text that is not a requestState", async () => {
    const { send, upstreams } = setUp();
    await expect(send({ requestState: "made up" })).rejects.toMatchObject({ code: -32602 });
    await expect(send({ requestState: 1 })).rejects.toMatchObject({ code: -32602 });
    expect(upstreams).toEqual([]);
  });
});

describe("pending calls", () => {
  it("cancels a pending call beyond the limit and tells its caller when to retry", async () => {
    const { send, upstreams, pendingCalls } = setUp({
      questions: { tool: ["Who?"] },
      limits: { maxPendingPerCaller: 1 },
    });
    await send({}, "ann");
    await expect(send({}, "ann")).rejects.toMatchObject({ data: { reason: "call_gone", retryAfterMs: 5_000 } });
    await vi.waitFor(() => expect(upstreams[1]?.cancelled).toEqual(["tool"]));
    await send({}, "bob");
    expect(pendingCalls.size).toBe(2);
  });

  it("a retry reports that its pending call was lost with the session, and runs nothing", async () => {
    const { send, answer, upstreams, opened } = setUp({ questions: { tool: ["Who?"] } });
    const question = await send();
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    await expect(send(answer(question, "Ann"))).rejects.toMatchObject({ code: -32603, data: { reason: "call_gone" } });
    expect(upstreams.flatMap(({ ran }) => ran)).toEqual(["tool"]);
  });

  it("a pending call continues once after its upstream is reconfigured", async () => {
    const { send, answer, upstreams, sessions, forwarder } = setUp({ questions: { tool: ["Who?", "Sure?"] } });
    const question = await send();
    const retired = sessions.retire({ graceMs: 60_000, keepsWaiting: true });
    const { sessions: renewed, opened } = createFakeSessions();
    const target: UpstreamTarget = { sessions: renewed, params: { name: "tool" } };
    const retry = async (from: Result, name: string): Promise<Result> => {
      const request = requestOf(method.callTool, { name: "up__tool", arguments: {}, ...answer(from, name) });
      const exchange = createFakeExchange();
      return forwarder.forward(target, request, exchange, await forwarder.open(request, exchange));
    };
    const second = await retry(question, "Ann");
    expect(second).toMatchObject({ inputRequests: { q: { params: { message: "Sure?" } } } });
    await expect(retry(question, "Bob")).rejects.toMatchObject({ code: -32602 });
    expect(await retry(second, "yes")).toMatchObject({ content: [{ text: "Ann yes" }] });
    await retired;
    expect(upstreams.map(({ ran, connection }) => [ran, connection.isClosed])).toEqual([[["tool"], true]]);
    expect(opened).toEqual([]);
  });

  it("a pending call whose answers are too large to seal continues but cannot run again", async () => {
    const { send, answer, opened } = setUp({ questions: { tool: ["Who?", "Sure?"] }, target: { isRepeatable: true } });
    const second = await send(answer(await send(), "A".repeat(70_000)));
    expect(second).toMatchObject({ inputRequests: { q: { params: { message: "Sure?" } } } });
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    await expect(send(answer(second, "yes"))).rejects.toMatchObject({ data: { reason: "call_gone" } });
  });

  it("runs a lost call again only if tool and operator allow it, without repeating answered elicitations", async () => {
    const { send, answer, upstreams, opened } = setUp({
      questions: { tool: ["Who?", "Where?", "Sure?"] },
      target: { isRepeatable: true },
      circuitBreaker: { firstMs: 1 },
    });
    const second = await send(answer(await send(), "Ann"));
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(10);
    const third = await send(answer(second, "here"));
    expect(third).toMatchObject({ inputRequests: { q: { params: { message: "Sure?" } } } });
    expect(await send(answer(third, "yes"))).toMatchObject({ content: [{ text: "Ann here yes" }] });
    expect(upstreams.map(({ ran }) => ran)).toEqual([["tool"], ["tool"]]);
  });
});

describe("pending calls of other replicas", () => {
  function twoReplicas(questions: Elicitations, isReachable = true) {
    const reach = vi.fn<Directory["reach"]>();
    const one = setUp({ questions, directory: { ...createLocalDirectory(), reach } });
    const directory = { ...createLocalDirectory(), reach };
    const two = setUp({ questions, directory });
    if (isReachable) {
      reach.mockImplementation((_replica, path) => async (request, exchange) => {
        expect(path).toBe("/mcp");
        return one.forwarder.forward(one.target, request, exchange, await one.forwarder.open(request, exchange));
      });
    }
    return { one, two };
  }

  it("forwards a retry to the replica that owns the pending call", async () => {
    const { one, two } = twoReplicas({ tool: ["Who?"] });
    const question = await one.send();
    expect(await two.send(two.answer(question, "Ann"))).toMatchObject({ content: [{ text: "Ann" }] });
    expect(two.upstreams).toEqual([]);
  });

  it("reports a pending call whose replica is gone", async () => {
    const { one, two } = twoReplicas({ tool: ["Who?"] }, false);
    const question = await one.send();
    await expect(two.send(two.answer(question, "Ann"))).rejects.toMatchObject({
      message: expect.stringContaining("it is kept by a replica of the gateway that is gone"),
      data: { reason: "call_gone" },
    });
    expect(two.upstreams).toEqual([]);
  });
});

describe("sessions of other replicas", () => {
  const directory = (peer: Dispatch | undefined): Directory => ({
    ...createLocalDirectory(),
    acquire: () => ({ owner: "two" }),
    reach: (replica, path) => (replica === "two" && path === "/mcp" ? peer : undefined),
  });

  it("sends a request through the replica that owns its session", async () => {
    const { send, upstreams } = setUp({ affinity: "caller", directory: directory(async () => done) });
    expect(await send({}, "ann")).toBe(done);
    expect(upstreams).toEqual([]);
  });

  it.each([
    ["unavailable", "unavailable"],
    ["busy", "busy"],
    ["lost", "lost"],
    ["too_large", "invalid"],
  ] as const)(
    "reports a request that is %s on the way to another replica as a failure of its upstream",
    async (reason, told) => {
      const fail: Dispatch = () => Promise.reject(new ReplicaError(reason, "did not answer", { retryAfterMs: 7 }));
      const { send } = setUp({ affinity: "caller", directory: directory(fail), sessions: { waitMs: 0 } });
      await expect(send({}, "ann")).rejects.toMatchObject({
        message: 'upstream "up" did not answer',
        data: { reason: told, upstream: "up", retryAfterMs: 7 },
      });
    },
  );

  it("acquires the lease again when its replica is full, and opens a session here when it was released", async () => {
    const local = createLocalDirectory();
    const acquire = vi.fn().mockReturnValueOnce({ owner: "two" }).mockReturnValue({ owner: local.self });
    const stopping: Dispatch = () => Promise.reject(new ReplicaError("unavailable", "takes no more requests"));
    const { send, upstreams } = setUp({
      affinity: "caller",
      directory: { ...directory(stopping), ...local, acquire, reach: () => stopping },
    });
    expect(await send({}, "ann")).toMatchObject({ resultType: "complete" });
    expect(upstreams.map(({ ran }) => ran)).toEqual([["tool"]]);
    expect(acquire).toHaveBeenCalledTimes(2);
  });

  it("acquires the session of a request that another replica forwarded without what the directory remembers", async () => {
    const acquire = vi.fn<Directory["acquire"]>(() => ({ owner: "two" }));
    const { send } = setUp({ affinity: "caller", directory: { ...directory(async () => done), acquire } });
    await send({}, "ann", undefined, { ...createFakeExchange("ann"), isForwarded: true });
    await send({}, "ann");
    expect(acquire.mock.calls.map(([, options]) => options)).toEqual([{ isForwarded: true }, {}]);
  });

  it("reports the upstream as unavailable when the replica of its session is gone", async () => {
    const { send } = setUp({ affinity: "caller", directory: directory(undefined), sessions: { waitMs: 0 } });
    await expect(send({}, "ann")).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: 1_000 } });
  });
});

describe("calls of a modern upstream", () => {
  const asking: Dispatch = async ({ params }) =>
    params.requestState === "inner" ? done : { resultType: "input_required", requestState: "inner" };

  it("seals the state of a modern upstream and keeps no call open (J-55)", async () => {
    const dispatch = vi.fn(asking);
    const { send, pendingCalls } = setUp({ connect: async () => createFakeConnection({ era: "modern", dispatch }) });
    const question = await send();
    expect(isInputRequired(question)).toBe(true);
    expect(question.requestState).not.toBe("inner");
    expect(pendingCalls.size).toBe(0);
    expect(await send({ requestState: question.requestState })).toMatchObject(done);
    expect(dispatch.mock.calls.map(([{ params }]) => params.requestState)).toEqual([undefined, "inner"]);
  });

  it("returns no requestState if a modern upstream sends input requests without one", async () => {
    const dispatch: Dispatch = async () => ({ resultType: "input_required", inputRequests: {} });
    const { send } = setUp({ connect: async () => createFakeConnection({ era: "modern", dispatch }) });
    expect(await send()).not.toHaveProperty("requestState");
  });

  it("continues in the same session when a modern upstream uses handles", async () => {
    const dispatch = vi.fn(asking);
    const connect = vi.fn(async () => createFakeConnection({ era: "modern", dispatch }));
    const { send } = setUp({ affinity: "handle", connect });
    const { requestState, _meta } = await send();
    expect((await send({ requestState }))._meta?.["lethe/session"]).toBe(_meta?.["lethe/session"]);
    expect(connect).toHaveBeenCalledTimes(1);
  });

  it("reports state of a modern upstream that is too large to seal", async () => {
    const dispatch: Dispatch = async () => ({ resultType: "input_required", requestState: "x".repeat(70_000) });
    const { send } = setUp({ connect: async () => createFakeConnection({ era: "modern", dispatch }) });
    await expect(send()).rejects.toMatchObject({ code: -32603, data: { reason: "invalid" } });
  });

  it("declares to a modern upstream the caller's capabilities that the gateway can forward (J-56)", async () => {
    const dispatch = vi.fn(async () => done) as unknown as Dispatch & {
      mock: { calls: [{ params: { _meta: JsonObject } }][] };
    };
    const { send } = setUp({ connect: async () => createFakeConnection({ era: "modern", dispatch }) });
    await send({}, undefined, {
      elicitation: { form: {} },
      roots: { listChanged: true },
      extensions: { "x/y": {} },
      experimental: {},
    });
    const { _meta } = dispatch.mock.calls[0]?.[0].params ?? { _meta: {} };
    const extensions = { "x/y": {} };
    expect(_meta[metaKey.clientCapabilities]).toEqual({ elicitation: { form: {} }, roots: {}, extensions });
    expect(_meta[metaKey.clientInfo]).toMatchObject({ name: "lethe-gateway" });
  });
});

describe("calls in sessions with handles", () => {
  it("returns the handle of the session with each result and removes it from the arguments", async () => {
    const { send, upstreams } = setUp({ affinity: "handle", target: { hasSessionArgument: true } });
    const first = await send();
    const handle = first._meta?.["lethe/session"] as string;
    expect(first.content).toMatchObject([{ text: "done" }, { text: expect.stringContaining(handle) }]);
    await send({ arguments: { x: 1, gateway_session: handle } });
    expect(upstreams).toHaveLength(1);
    expect(upstreams[0]?.received[1]?.params).toMatchObject({ name: "tool", arguments: { x: 1 } });
    expect(upstreams[0]?.received[1]?.params.arguments).not.toHaveProperty("gateway_session");
  });

  it("tells the model that a session has ended, so that it can start another (E-73)", async () => {
    const { send } = setUp({ affinity: "handle", target: { hasSessionArgument: true } });
    const result = await send({ arguments: { gateway_session: "made-up" } });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("no such session") }] });
  });

  it("begins a session with a handle only for a call; other requests use the caller's session", async () => {
    const { forwarder, target } = setUp({ affinity: "handle" });
    const request = requestOf(method.readResource, { uri: "a:b" });
    const result = await forwarder.forward(target, request, createFakeExchange("ann"));
    expect(result._meta).not.toHaveProperty(["lethe/session"]);
  });

  it("continues in the same session when the first round of a call did not name one", async () => {
    const { send, answer, upstreams } = setUp({ affinity: "handle", questions: { tool: ["Who?"] } });
    const question = await send();
    expect(question).not.toHaveProperty("content");
    expect(await send(answer(question, "Ann"))).toMatchObject({ content: [{ text: "Ann" }, {}] });
    expect(upstreams).toHaveLength(1);
  });
});

describe("calls with one session each", () => {
  it("keeps the session of a single call for as long as the call is pending", async () => {
    const { send, answer, opened } = setUp({ affinity: "call", questions: { tool: ["Who?"] } });
    const question = await send();
    expect(opened[0]?.isClosed).toBe(false);
    await send(answer(question, "Ann"));
    await vi.waitFor(() => expect(opened[0]?.isClosed).toBe(true));
  });
});

describe("calls that wait while their upstream is reconfigured", () => {
  /** Never up, until it is given up. */
  const connect = (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  async function renew(renewed: FakeUpstream) {
    const next = createFakeSessions(renewed);
    let current: UpstreamSessions | undefined;
    const { send, sessions } = setUp({ connect, current: () => current ?? sessions });
    const sent = send({}, "ann").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(4_000);
    current = next.sessions;
    void sessions.retire({ graceMs: 30_000 });
    return { sent, ...next };
  }

  it("sends a call that waits for its upstream to start to the reconfigured upstream", async () => {
    const { sent, sessions, opened } = await renew({ affinity: "caller" });
    expect(await sent).toMatchObject({ content: [{ text: "done" }] });
    expect(opened.length).toBeGreaterThan(0);
    await sessions.close();
  });

  it("does not extend the wait of a call when its upstream is reconfigured", async () => {
    const { sent, sessions } = await renew({ connect, startTimeoutMs: 600_000 });
    const told = vi.fn();
    void sent.then(told);
    // 60 s for a start and 10 s for the back-off before it, of which 4 s have passed.
    await vi.advanceTimersByTimeAsync(65_900);
    expect(told).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    const data = { reason: "unavailable", upstream: "up", retryAfterMs: 2_000 };
    expect(told).toHaveBeenCalledWith(expect.objectContaining({ message: 'upstream "up" is still starting', data }));
    await sessions.close();
  });

  it("does not send a waiting call to an upstream that offers other items after the reconfiguration", async () => {
    const { sent, sessions, opened } = await renew({ tools: { deny: ["tool"] } });
    expect(await sent).toMatchObject({ data: { reason: "unavailable" } });
    expect(opened).toEqual([]);
    await sessions.close();
  });
});

describe("retries with an answered requestState (E-28)", () => {
  const used = { code: -32602, data: { reason: "already_answered" } };

  /** A modern upstream that does something with each answer that comes. */
  function setUpModern(answerWith: (count: number) => Result | Promise<Result> = () => done, setup: Setup = {}) {
    let count = 0;
    const dispatch: Dispatch = async ({ params }) => {
      if (params.requestState === undefined) {
        return { resultType: "input_required", requestState: "inner", inputRequests: { q: question } };
      }
      count += 1;
      return answerWith(count);
    };
    const connect = async () => createFakeConnection({ era: "modern", dispatch });
    return { ...setUp({ ...setup, connect }), effects: () => count };
  }
  const question = {
    method: "elicitation/create",
    params: { message: "Pay?", requestedSchema: { type: "object", properties: {} } },
  } as const;

  it("sends an answered requestState to a modern upstream once and gives every identical retry the result", async () => {
    const { send, answer, effects } = setUpModern();
    const asked = await send();
    const posts = await Promise.all([1, 2, 3].map(() => send(answer(asked, "yes"))));
    posts.push(await send(answer(asked, "yes")), await send(answer(asked, "yes")));
    expect(posts).toMatchObject(Array(5).fill({ content: [{ text: "done" }] }));
    expect(effects()).toBe(1);
  });

  it("rejects different answers and other callers for an answered requestState", async () => {
    const { send, answer, effects } = setUpModern();
    const asked = await send({}, "ann");
    await send(answer(asked, "yes"), "ann");
    await expect(send(answer(asked, "no"), "ann")).rejects.toMatchObject(used);
    await expect(send(answer(asked, "yes"), "bob")).rejects.toMatchObject({ code: -32602 });
    expect(effects()).toBe(1);
  });

  it("does not send answers again if the upstream may have carried them out", async () => {
    const { send, answer, effects } = setUpModern(() => Promise.reject(new TransportError("lost", "gone")));
    const asked = await send();
    for (let count = 0; count < 2; count += 1) {
      await expect(send(answer(asked, "yes"))).rejects.toMatchObject({ data: { reason: "lost" } });
    }
    expect(effects()).toBe(1);
  });

  it("sends answers again if the upstream did not begin or refused them", async () => {
    const errors = [new TransportError("unreachable", "down"), new McpError(-32602, "no such city")];
    const { send, answer, effects } = setUpModern((count) => {
      const error = errors[count - 1];
      return error ? Promise.reject(error) : done;
    });
    const asked = await send();
    await expect(send(answer(asked, "yes"))).rejects.toMatchObject({ data: { reason: "unavailable" } });
    await expect(send(answer(asked, "yes"))).rejects.toMatchObject({ message: "no such city" });
    expect(await send(answer(asked, "another"))).toMatchObject({ content: [{ text: "done" }] });
    expect(effects()).toBe(3);
  });

  it("resumes a pending call once and gives an identical retry the result", async () => {
    const { send, answer, upstreams } = setUp({ questions: { tool: ["Who?"] } });
    const asked = await send();
    const posts = await Promise.all([1, 2, 3].map(() => send(answer(asked, "Ann"))));
    posts.push(await send(answer(asked, "Ann")));
    expect(posts).toMatchObject(Array(4).fill({ content: [{ text: "Ann" }] }));
    await expect(send(answer(asked, "Bob"))).rejects.toMatchObject(used);
    expect(upstreams[0]?.ran).toEqual(["tool"]);
  });

  it("gives an identical retry the result after the session of the call has ended", async () => {
    const { send, answer, sessions } = setUp({ questions: { tool: ["Who?"] } });
    const asked = await send();
    const first = await send(answer(asked, "Ann"));
    await sessions.close();
    expect(await send(answer(asked, "Ann"))).toEqual(first);
  });
});

describe("calls with input requests on a connection that may still serve a cancelled call", () => {
  const lostTrack = () => Promise.reject(new TransportError("lost_track", "begin another connection"));

  it("runs the call in a new session and ends the old one", async () => {
    const { send, upstreams, opened, sessions } = setUp();
    await sessions.start();
    const [first] = opened;
    if (first) first.dispatch = lostTrack;
    expect(await send()).toMatchObject({ content: done.content });
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(upstreams[1]?.ran).toEqual(["tool"]);
  });

  it("moves a call to a new session only once", async () => {
    const connect = vi.fn(async () => createFakeConnection({ dispatch: lostTrack }));
    const { send, sessions } = setUp({ connect });
    await sessions.start();
    await expect(send()).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(connect).toHaveBeenCalledTimes(2);
  });
});
