// Calls that cannot start: they wait for `sessions.waitMs`, run once, and otherwise fail with a retryable error.

import { TransportError } from "@lethe/client";
import { PendingCalls } from "@lethe/client/edge";
import {
  type Dispatch,
  type Exchange,
  type JsonObject,
  McpError,
  method,
  notificationMethod,
  type Result,
} from "@lethe/protocol";
import { createSeal } from "@lethe/server/edge";
import { createKeyRing, createLocalDirectory, type Directory, ReplicaError } from "@lethe/server/stores";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAskingUpstream } from "../testing/asking-upstream.ts";
import {
  createFakeConnection,
  createFakeExchange,
  createFakeSessions,
  done,
  type FakeUpstream,
  requestOf,
} from "../testing/fakes.ts";
import { noCallTasks } from "../testing/no-tasks.ts";
import { CallForwarder } from "./call-forwarder.ts";
import type { GatewayPendingCalls } from "./pending-call.ts";
import { RequestHold } from "./request-hold.ts";
import { createRequestStateSeal } from "./request-state.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

const ring = createKeyRing();
const unreachable = () => new ReplicaError("unavailable", "cannot be reached", { retryAfterMs: 60_000 });

interface Setup extends FakeUpstream {
  pendingCalls?: GatewayPendingCalls;
  replicaWaitMs?: number;
}

function setUp({
  pendingCalls = new PendingCalls(),
  directory = createLocalDirectory(),
  replicaWaitMs,
  ...upstream
}: Setup = {}) {
  const { sessions } = createFakeSessions({ directory, ...upstream });
  const state = { isCutOff: false };
  const hold = new RequestHold({ replicaWaitMs, isCutOff: () => state.isCutOff });
  const seal = createRequestStateSeal(createSeal(ring, { server: "g" }));
  const forwarder = new CallForwarder({ seal, directory, pendingCalls, hold, path: "/mcp", tasks: noCallTasks });
  const target = { sessions, params: { name: "tool" } };

  function send(params: JsonObject = {}, exchange: Exchange = createFakeExchange("ann"), meta: JsonObject = {}) {
    const request = requestOf(method.callTool, { name: "up__tool", arguments: {}, ...params }, { meta });
    return forwarder.open(request, exchange).then((state) => forwarder.forward(target, request, exchange, state));
  }
  return { sessions, hold, forwarder, target, send, state };
}

/** A directory whose first `failures` attempts to acquire a session fail. */
function failing(failures: number, error = unreachable): Directory & { attempts: number } {
  const local = createLocalDirectory();
  const directory = {
    ...local,
    attempts: 0,
    async acquire() {
      directory.attempts += 1;
      if (directory.attempts <= failures) throw error();
      return { owner: local.self };
    },
  };
  return directory;
}

function settled(promise: Promise<Result>) {
  const outcome: { result?: Result; error?: McpError } = {};
  promise.then(
    (result) => Object.assign(outcome, { result }),
    (error) => Object.assign(outcome, { error }),
  );
  return outcome;
}

describe("a call that cannot start", () => {
  it("waits until the owner of its session is known and then runs once", async () => {
    const dispatch = vi.fn(async () => done);
    const directory = failing(3);
    const { send, hold } = setUp({
      ...{ affinity: "caller", directory },
      connect: async () => createFakeConnection({ dispatch }),
    });
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(10);
    expect(hold.countOf("up")).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.result).toMatchObject({ content: done.content });
    expect(dispatch).toHaveBeenCalledOnce();
    expect(hold.countOf("up")).toBe(0);
  });

  it("moves to the replica that took over its session", async () => {
    const owners = ["one", "one", "two"];
    const reached: string[] = [];
    const directory: Directory = {
      ...createLocalDirectory(),
      acquire: () => ({ owner: owners.shift() ?? "two" }),
      reach: (replica) => async () => {
        reached.push(replica);
        if (replica === "one") throw unreachable();
        return done;
      },
    };
    const sent = settled(setUp({ affinity: "caller", directory }).send());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.result).toBe(done);
    expect(reached).toEqual(["one", "one", "two"]);
  });

  it("fails with status 503 when waitMs is over", async () => {
    const directory = failing(Number.POSITIVE_INFINITY);
    const { send, hold } = setUp({ affinity: "caller", directory, sessions: { waitMs: 2_000 } });
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(1_950);
    expect(sent.error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    const data = { reason: "unavailable", upstream: "up", retryAfterMs: 60_000 };
    expect(sent.error).toMatchObject({ code: -32603, refusalStatus: 503, data });
    expect(hold.countOf("up")).toBe(0);
    expect(directory.attempts).toBeGreaterThan(8);
    expect(directory.attempts).toBeLessThan(25);
  });

  it("fails with status 503 after replicaWaitMs, without progress notifications that would start its response", async () => {
    const directory = failing(Number.POSITIVE_INFINITY);
    const { send } = setUp({ affinity: "caller", directory, replicaWaitMs: 1_300 });
    const exchange = createFakeExchange("ann");
    const sent = settled(send({}, exchange, { progressToken: 1 }));
    await vi.advanceTimersByTimeAsync(1_250);
    expect(sent.error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    expect(sent.error).toMatchObject({ refusalStatus: 503, data: { reason: "unavailable" } });
    expect(exchange.notes).toEqual([]);
  });

  it("of an older client, which never gets status 503, waits for waitMs despite replicaWaitMs", async () => {
    const directory = failing(Number.POSITIVE_INFINITY);
    const { forwarder, target } = setUp({
      affinity: "caller",
      directory,
      replicaWaitMs: 100,
      sessions: { waitMs: 2_000 },
    });
    const request = { ...requestOf(method.callTool, { name: "up__tool", arguments: {} }), prefersSession: true };
    const sent = settled(forwarder.forward(target, request, createFakeExchange("ann")));
    await vi.advanceTimersByTimeAsync(1_950);
    expect(sent.error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    expect(sent.error).toMatchObject({ data: { reason: "unavailable" } });
  });

  it("is not retried after a failure of a replica that may have run it", async () => {
    const lost = vi.fn<Dispatch>(() => Promise.reject(new ReplicaError("lost", "has failed")));
    const directory = { ...createLocalDirectory(), acquire: () => ({ owner: "two" }), reach: () => lost };
    const sent = settled(setUp({ affinity: "caller", directory }).send());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent.error).toMatchObject({ data: { reason: "lost" } });
    expect(sent.error?.refusalStatus).toBeUndefined();
    expect(lost).toHaveBeenCalledOnce();
  });

  it("stops waiting when its caller disconnects", async () => {
    const directory = failing(Number.POSITIVE_INFINITY);
    const { send, hold } = setUp({ affinity: "caller", directory });
    const exchange = createFakeExchange("ann");
    const sent = settled(send({}, exchange));
    await vi.advanceTimersByTimeAsync(500);
    exchange.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.error).toBeDefined();
    expect(hold.countOf("up")).toBe(0);
    const { attempts } = directory;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(directory.attempts).toBe(attempts);
  });

  it("fails at once when as many requests as maxWaiting are held", async () => {
    const directory = failing(Number.POSITIVE_INFINITY);
    const { send, hold } = setUp({ affinity: "caller", directory, sessions: { maxWaiting: 2 } });
    const first = [settled(send()), settled(send())];
    await vi.advanceTimersByTimeAsync(0);
    await expect(send()).rejects.toMatchObject({ refusalStatus: 503, data: { reason: "unavailable" } });
    expect(hold.countOf("up")).toBe(2);
    expect(first.every(({ error }) => error === undefined)).toBe(true);
    hold.stop();
  });

  it("fails at once with a retryable error when its gateway stops", async () => {
    const { send, hold } = setUp({ affinity: "caller", directory: failing(Number.POSITIVE_INFINITY) });
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(100);
    hold.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.error).toMatchObject({ refusalStatus: 503 });
    await expect(send()).rejects.toMatchObject({ refusalStatus: 503 });
  });

  it("fails at once when only this replica cannot reach the shared state, so that its caller can try another one", async () => {
    const { send, state } = setUp({ affinity: "caller", directory: failing(Number.POSITIVE_INFINITY) });
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.error).toBeUndefined();
    state.isCutOff = true;
    await vi.advanceTimersByTimeAsync(250);
    expect(sent.error).toMatchObject({ refusalStatus: 503, data: { reason: "unavailable" } });
    await expect(send()).rejects.toMatchObject({ refusalStatus: 503, data: { reason: "unavailable" } });
  });

  it("sends progress to a caller that asked for it", async () => {
    const { send, hold } = setUp({ affinity: "caller", directory: failing(Number.POSITIVE_INFINITY) });
    const exchange = createFakeExchange("ann");
    const sent = settled(send({}, exchange, { progressToken: 7 }));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(exchange.notes.map(({ method: notified }) => notified)).toEqual(Array(2).fill(notificationMethod.progress));
    const values = exchange.notes.map(({ params = {} }) => Number(params.progress));
    expect(values[0]).toBeLessThan(values[1] as number);
    expect(values[1]).toBeLessThan(0);
    hold.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.error).toBeDefined();
  });

  it("goes back to the replica that forwarded it instead of waiting for another owner", async () => {
    const directory = failing(Number.POSITIVE_INFINITY);
    const { forwarder, target } = setUp({ affinity: "caller", directory });
    const request = { ...requestOf(method.callTool, { name: "up__tool" }), isForwarded: true };
    await expect(forwarder.forward(target, request, createFakeExchange("ann"))).rejects.toMatchObject({
      refusalStatus: 503,
    });
    expect(directory.attempts).toBe(1);
  });
});

describe("an upstream that cannot be reached", () => {
  const refused = () =>
    new TransportError("unreachable", "refused", {
      cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
    });

  function setUpHttp(...outcomes: (() => Result)[]) {
    const dispatch = vi.fn<Dispatch>(async () => (outcomes.shift() ?? (() => done))());
    const connect = async () => createFakeConnection({ era: "modern", dispatch });
    return { dispatch, ...setUp({ kind: "http", affinity: "shared", connect }) };
  }
  const failWith = (error: unknown) => () => {
    throw error;
  };

  it("gets the call once it accepts connections again", async () => {
    const { send, dispatch } = setUpHttp(failWith(refused()), failWith(refused()));
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(3_000);
    expect(sent.result).toMatchObject({ content: done.content });
    expect(dispatch).toHaveBeenCalledTimes(3);
  });

  it.each([
    ["the connection broke", new TransportError("lost", "reset")],
    ["it answered with status 503", new TransportError("status", "busy", { status: 503 })],
    ["it refused the certificate", new TransportError("unreachable", "certificate")],
    [
      "it claims that the call has not started",
      new McpError(-32603, "later", { data: { reason: "unavailable", retryAfterMs: 1 } }),
    ],
  ])("does not get the call again when %s", async (_, error) => {
    const { send, dispatch } = setUpHttp(failWith(error));
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sent.error).toBeDefined();
    expect(sent.error?.refusalStatus).toBeUndefined();
    expect(dispatch).toHaveBeenCalledOnce();
  });

  it("gets the call after a restart of its process", async () => {
    let starts = 0;
    const connect = async () => {
      starts += 1;
      if (starts < 3) throw new TransportError("unreachable", "cannot start");
      return createFakeConnection();
    };
    const sent = settled(setUp({ affinity: "shared", connect }).send());
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sent.result).toMatchObject({ content: done.content });
  });

  it("fails its callers at once while its next start is later than waitMs", async () => {
    const connect = () => Promise.reject(new TransportError("unreachable", "cannot start"));
    const circuitBreaker = { firstMs: 60_000, maxMs: 60_000 };
    const { send } = setUp({ affinity: "shared", connect, circuitBreaker });
    const sent = settled(send());
    await vi.advanceTimersByTimeAsync(10);
    expect(sent.error).toMatchObject({ refusalStatus: 503, data: { reason: "unavailable" } });
  });
});

it("resumes a pending call whose replica cannot be reached for a moment", async () => {
  const pendingCalls: GatewayPendingCalls = new PendingCalls({ whenFull: "fail-call" });
  const asking = createAskingUpstream({ tool: ["Who?"] }, { pendingCalls });
  const directory = createLocalDirectory();
  const one = setUp({ pendingCalls, directory, connect: async () => asking.connection });
  let failures = 2;
  const toOne: Dispatch = async (request, exchange) => {
    failures -= 1;
    if (failures >= 0) throw unreachable();
    return one.forwarder.forward(one.target, request, exchange, await one.forwarder.open(request, exchange));
  };
  const two = setUp({ directory: { ...createLocalDirectory(), reach: () => toOne } });
  const { requestState } = await one.send();
  const inputResponses = { q: { action: "accept", content: { name: "Ann" } } };
  const sent = settled(two.send({ requestState, inputResponses }));
  await vi.waitFor(() => expect(sent.result).toMatchObject({ content: [{ text: "Ann" }] }), 5_000);
  expect(asking.ran).toEqual(["tool"]);
});
