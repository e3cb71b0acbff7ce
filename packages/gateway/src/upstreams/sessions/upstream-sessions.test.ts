import { TransportError } from "@lethe/client";
import { type Dispatch, type JsonRpcNotification, McpError, method, type Result } from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { ReplicaError } from "@lethe/server/stores";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UpstreamPolicy } from "../../config/schema/settings.ts";
import {
  createFakeConnection,
  createFakeExchange,
  createFakeSessions,
  done,
  type FakeConnection,
  requestOf,
} from "../../testing/fakes.ts";
import { createFakeProbe, legacyReport, modernReport } from "../../testing/reports.ts";
import { toOwnRequest } from "../connection/own-request.ts";
import type { Session } from "./session.ts";
import type { UpstreamSessions, UpstreamSessionsOptions } from "./upstream-sessions.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function run(sessions: UpstreamSessions, callerId?: string): Promise<Result> {
  const session = (await sessions.sessionFor(callerId)) as Session;
  sessions.enter(session);
  const request = requestOf(method.callTool, { name: "t" });
  return sessions.run(session, request, createFakeExchange(callerId)).finally(() => sessions.leave(session));
}

describe("sessions of a legacy upstream", () => {
  it("gives each caller its own session, and anonymous callers the gateway's", async () => {
    const { sessions, opened } = createFakeSessions();
    await sessions.start();
    await Promise.all([run(sessions, "ann"), run(sessions, "bob"), run(sessions, "ann"), run(sessions)]);
    expect(opened).toHaveLength(3);
    await sessions.close();
    expect(opened.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it("runs the requests of one session at the same time", async () => {
    let go: (result: Result) => void = () => {};
    const dispatch = vi.fn<Dispatch>().mockReturnValue(
      new Promise((resolve) => {
        go = resolve;
      }),
    );
    const { sessions } = createFakeSessions({}, () => createFakeConnection({ dispatch }));
    await sessions.start();
    const both = [run(sessions, "ann"), run(sessions, "ann")];
    await vi.advanceTimersByTimeAsync(0);
    expect(dispatch).toHaveBeenCalledTimes(2);
    go(done);
    expect(await Promise.all(both)).toEqual([done, done]);
    await sessions.close();
  });

  it("starts a legacy upstream with the first request, which waits for the verdict", async () => {
    const { sessions, opened } = createFakeSessions();
    expect(await run(sessions, "ann")).toBe(done);
    expect(sessions.verdict).toMatchObject({ sharing: "session" });
    expect(opened).toHaveLength(2);
    await sessions.close();
  });
});

describe("callers that share a session", () => {
  it("opens up to maxShared sessions while calls that may send input requests run", async () => {
    const { sessions, opened } = createFakeSessions({ affinity: "shared", sessions: { maxShared: 2 } });
    await sessions.start();
    await run(sessions, "ann");
    expect(opened).toHaveLength(1);
    if (opened[0]) opened[0].isAsking = true;
    await run(sessions, "bob");
    expect(opened).toHaveLength(2);
    if (opened[1]) opened[1].isAsking = true;
    await run(sessions, "cat");
    expect(opened).toHaveLength(2);
    await sessions.close();
  });

  it("shares one session by default, because another one would lack the state of the first", async () => {
    const { sessions, opened } = createFakeSessions();
    await sessions.start();
    if (opened[0]) opened[0].isAsking = true;
    await run(sessions);
    expect(opened).toHaveLength(1);
    await sessions.close();
  });
});

describe("retiring an upstream", () => {
  it("ends idle sessions of a retired upstream at once, and the others after their calls", async () => {
    let finish = (_: Result): void => {};
    const dispatch: Dispatch = () => new Promise((resolve) => (finish = resolve));
    const { sessions, opened } = createFakeSessions({}, () => createFakeConnection({ dispatch }));
    await sessions.start();
    const running = run(sessions, "ann");
    await vi.advanceTimersByTimeAsync(0);
    const held = (await sessions.sessionFor("bob")) as Session;
    sessions.enter(held);
    const retired = sessions.retire({ graceMs: 5_000, keepsWaiting: true });
    const closed = () => opened.map(({ isClosed }) => isClosed);
    await vi.advanceTimersByTimeAsync(0);
    expect(closed()).toEqual([true, false, false]);
    finish(done);
    expect(await running).toBe(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(closed()).toEqual([true, true, false]);
    expect(sessions.sessionOf(held.id)).toBe(held);
    sessions.leave(held);
    await retired;
    expect(closed()).toEqual([true, true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("retires an upstream within the grace time and opens no new session of the gateway", async () => {
    const { sessions, opened } = createFakeSessions();
    await sessions.start();
    const held = (await sessions.sessionFor("ann")) as Session;
    sessions.enter(held);
    const retired = sessions.retire({ graceMs: 5_000, keepsWaiting: true });
    await expect(sessions.dispatch(requestOf(method.listTools), createFakeExchange())).rejects.toMatchObject({
      data: { reason: "unavailable" },
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(1);
    await retired;
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it("retires an upstream without waiting for subscriptions", async () => {
    const dispatch: Dispatch = () => new Promise(() => {});
    const { sessions, opened } = createFakeSessions({}, () => createFakeConnection({ dispatch }));
    const listening = sessions.dispatch(requestOf(method.listen), createFakeExchange());
    await vi.advanceTimersByTimeAsync(0);
    await sessions.retire({ graceMs: 1_000 });
    expect(await listening).toEqual({ resultType: "complete" });
    expect(opened[0]?.isClosed).toBe(true);
  });
});

describe("a process that speaks a modern revision", () => {
  const connect = () => createFakeConnection({ era: "modern" });

  it("gives a modern process to one caller, because it may keep state between calls", async () => {
    const { sessions, opened } = createFakeSessions({}, connect);
    await sessions.start();
    await Promise.all([run(sessions, "ann"), run(sessions, "bob"), run(sessions, "ann"), run(sessions)]);
    expect(opened).toHaveLength(3);
    expect(sessions.verdict).toMatchObject({ word: "STATELESS", sharing: "session", era: "modern" });
    await sessions.close();
  });

  it.each<UpstreamPolicy>([{ sharing: "shared" }, { affinity: "shared" }])(
    "shares a modern process among all callers with %j",
    async (policy) => {
      const { sessions, opened } = createFakeSessions(policy, connect);
      await sessions.start();
      await Promise.all([run(sessions, "ann"), run(sessions, "bob")]);
      expect(opened).toHaveLength(1);
      await sessions.close();
    },
  );

  it("ends a modern process after its caller has not used it for sessions.idleMs", async () => {
    const { sessions, opened } = createFakeSessions({ sessions: { idleMs: 1_000 } }, connect);
    await sessions.start();
    await run(sessions, "ann");
    await vi.advanceTimersByTimeAsync(1_250);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, true]);
    await sessions.close();
  });
});

describe("a stateless upstream", () => {
  it("opens one connection to a stateless upstream for all callers", async () => {
    const { sessions, opened } = createFakeSessions({ kind: "http" }, () => createFakeConnection({ era: "modern" }));
    await sessions.start();
    await Promise.all([run(sessions, "ann"), run(sessions, "bob")]);
    expect(opened).toHaveLength(1);
    await sessions.close();
  });

  it("opens one connection per caller to a stateless upstream where credentials differ", async () => {
    const credentials = { callers: { ann: { headers: { authorization: "a" } } } };
    const { sessions, opened } = createFakeSessions({ credentials }, () => createFakeConnection({ era: "modern" }));
    await sessions.start();
    await Promise.all([run(sessions, "ann"), run(sessions, "bob")]);
    expect(opened).toHaveLength(3);
    await sessions.close();
  });
});

describe("verdicts and sessions", () => {
  it("applies the verdict of the probe, and requests that need their own session wait for it", async () => {
    const { probe, end } = createFakeProbe();
    const onEvent = vi.fn();
    const { sessions, opened } = createFakeSessions({ probe, onEvent });
    await sessions.start();
    const waiting = run(sessions, "ann");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(opened).toHaveLength(1);
    await end(legacyReport("single-tenant"));
    expect(await waiting).toBe(done);
    expect(opened).toHaveLength(1);
    // What is found out for the first time contradicts nothing.
    expect(onEvent.mock.calls).toMatchObject([[{ kind: "ready", sharing: "session" }]]);
    await sessions.close();
  });

  it("changes no session when the probe does not confirm a doubt", async () => {
    const { probe, end } = createFakeProbe();
    const onEvent = vi.fn();
    const connection = createFakeConnection({ era: "modern" });
    connection.dispatch = async () => {
      throw new McpError(-32_000, "of its own");
    };
    const { sessions } = createFakeSessions({ probe, onEvent, connect: async () => connection });
    await sessions.start();
    await end(modernReport);
    await expect(run(sessions)).rejects.toThrow("of its own");
    await end(modernReport);
    expect(probe).toHaveBeenCalledTimes(2);
    expect(connection.isClosed).toBe(false);
    expect(onEvent).toHaveBeenCalledTimes(1);
    await sessions.close();
  });

  it("reconnects after a verdict of another era, even if nothing else changes", async () => {
    const { probe, end } = createFakeProbe();
    const onEvent = vi.fn();
    let era: "modern" | "legacy" = "modern";
    const dispatch: Dispatch = () => Promise.reject(new McpError(-32_600, "what?"));
    const make = () => createFakeConnection({ era, isStateful: false, dispatch });
    const { sessions, opened } = createFakeSessions({ probe, onEvent }, make);
    await sessions.start();
    await end(modernReport);
    era = "legacy";
    await run(sessions).catch(() => {});
    await end(legacyReport("none", "STATELESS"));
    expect(opened.map((connection) => [connection.era, connection.isClosed])).toEqual([
      ["modern", true],
      ["legacy", false],
    ]);
    expect(onEvent.mock.calls.map(([{ kind }]) => kind)).toEqual(["ready", "verdict", "ready"]);
    await sessions.close();
  });

  it("delays only requests without a connection for a verdict, for a limited time", async () => {
    const { probe } = createFakeProbe();
    const { sessions, opened } = createFakeSessions({ probe, probeTimeoutMs: 2_000 });
    await sessions.start();
    expect(await run(sessions)).toBe(done);
    const waiting = run(sessions, "ann");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await waiting).toBe(done);
    expect(opened).toHaveLength(2);
    await sessions.close();
  });

  it("ends only idle sessions that no longer fit the verdict", async () => {
    const { probe, end } = createFakeProbe();
    const eras = ["modern", "legacy", "legacy"] as const;
    let count = 0;
    let finish = (_: Result): void => {};
    const dispatch: Dispatch = ({ method: asked, params }) => {
      if (asked === method.listen) return new Promise(() => {});
      if (params.name === "slow") return new Promise((resolve) => (finish = resolve));
      return count > 1 ? Promise.resolve(done) : Promise.reject(new McpError(-32_000, "no session"));
    };
    const { sessions, opened } = createFakeSessions({ probe }, () =>
      createFakeConnection({ era: eras[count++] ?? "legacy", dispatch }),
    );
    await sessions.start();
    await end(modernReport);
    const listening = sessions.dispatch(toOwnRequest(method.listen), createFakeExchange());
    const slow = sessions.dispatch(requestOf(method.callTool, { name: "slow" }), createFakeExchange());
    await expect(run(sessions)).rejects.toThrow("no session");
    await end(legacyReport("enforced"));
    expect(await listening).toEqual({ resultType: "complete" });
    expect(await run(sessions)).toBe(done);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    finish(done);
    expect(await slow).toBe(done);
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    await sessions.close();
  });

  it("doubts the verdict when the upstream refuses a further client", async () => {
    const { probe, end } = createFakeProbe();
    const connect = vi
      .fn<UpstreamSessionsOptions["connect"]>()
      .mockResolvedValueOnce(createFakeConnection())
      .mockRejectedValue(new McpError(-32_600, "server already initialized"));
    const { sessions } = createFakeSessions({ probe, connect });
    await sessions.start();
    await end(legacyReport("enforced"));
    await expect(run(sessions, "ann")).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(probe).toHaveBeenCalledTimes(2);
    await end(legacyReport("single-tenant"));
    expect(await run(sessions, "ann")).toBe(done);
    await sessions.close();
  });

  it("serialises requests of all callers after the verdict single", async () => {
    let running = 0;
    let most = 0;
    const dispatch: Dispatch = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
      return done;
    };
    const { sessions } = createFakeSessions({ sharing: "single" }, () => createFakeConnection({ dispatch }));
    await sessions.start();
    await Promise.all(["ann", "bob", "ann", undefined].map((callerId) => run(sessions, callerId)));
    expect(most).toBe(1);
    await sessions.close();
  });

  it("removes all traces of an ended subscription from the turns of requests", async () => {
    const { sessions } = createFakeSessions();
    await sessions.start();
    const session = (await sessions.sessionFor(undefined)) as Session;
    const listening = sessions.run(session, toOwnRequest(method.listen), createFakeExchange());
    expect(session.subscriptions).toBe(1);
    await listening;
    expect(session.subscriptions).toBe(0);
    await sessions.close();
  });

  it("gives no turn to a subscription after the verdict single, because it would keep the turn forever", async () => {
    const dispatch: Dispatch = (request) =>
      request.method === method.listen ? new Promise(() => {}) : Promise.resolve(done);
    const { sessions } = createFakeSessions({ sharing: "single" }, () => createFakeConnection({ dispatch }));
    await sessions.start();
    void sessions.dispatch(toOwnRequest(method.listen), createFakeExchange());
    await vi.advanceTimersByTimeAsync(0);
    const call = run(sessions, "ann");
    call.catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toBe(done);
    await sessions.close();
  });
});

describe("an upstream that becomes unavailable", () => {
  it("restarts an upstream after a back-off without a request", async () => {
    const { sessions, opened } = createFakeSessions({ circuitBreaker: { firstMs: 100 } });
    await sessions.start();
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(99);
    expect(opened).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(opened).toHaveLength(2);
    await sessions.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps an upstream available to other callers after failures of one caller", async () => {
    const { sessions, opened } = createFakeSessions({ circuitBreaker: { firstMs: 100, maxFailures: 2 } });
    await sessions.start();
    await run(sessions, "bob");
    for (let times = 0; times < 4; times += 1) {
      const calling = run(sessions, "ann");
      await vi.advanceTimersByTimeAsync(10_000);
      await calling;
      opened.at(-1)?.end("killed");
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(await run(sessions, "bob")).toBe(done);
    expect(await run(sessions, "cid")).toBe(done);
    await sessions.close();
  });

  it("keeps serving callers with running processes after a failed restart", async () => {
    const { sessions, opened } = createFakeSessions({ circuitBreaker: { firstMs: 100, maxFailures: 2 } });
    await sessions.start();
    await run(sessions, "bob");
    for (let times = 0; times < 2; times += 1) vi.advanceTimersByTime(sessions.upstream.breaker.failed());
    sessions.upstream.breaker.admit();
    expect(sessions.upstream.breaker.admit()).toBeGreaterThan(0);
    expect(await run(sessions, "bob")).toBe(done);
    expect(opened).toHaveLength(2);
    await sessions.close();
  });

  it("waits for a restart within the start timeout and then tells callers when to retry", async () => {
    const connect = vi.fn(() => new Promise<never>(() => {}));
    const { sessions } = createFakeSessions({
      connect,
      affinity: "shared",
      sessions: { waitMs: 500 },
      startTimeoutMs: 40_000,
    });
    const waiting = run(sessions);
    waiting.catch(() => {});
    await vi.advanceTimersByTimeAsync(40_000);
    expect(sessions.waitingCount).toBe(1);
    await vi.advanceTimersByTimeAsync(500);
    await expect(waiting).rejects.toMatchObject({
      message: 'upstream "up" is still starting',
      data: { reason: "unavailable", upstream: "up", retryAfterMs: 2_000 },
    });
    expect(sessions.waitingCount).toBe(0);
  });

  it("stops waiting for a restart when the caller cancels", async () => {
    const connect = () => new Promise<never>(() => {});
    const { sessions } = createFakeSessions({ connect, affinity: "shared" });
    const leaving = new AbortController();
    const session = (await sessions.sessionFor(undefined)) as Session;
    const request = requestOf(method.callTool, { name: "t" });
    const waiting = sessions.run(session, request, { ...createFakeExchange(), signal: leaving.signal });
    waiting.catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    expect(sessions.waitingCount).toBe(1);
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ reason: "cancelled" });
    expect(sessions.waitingCount).toBe(0);
  });

  it("sends progress to a waiting caller, with increasing values below those of the upstream", async () => {
    const connection = createFakeConnection();
    const connect = () => new Promise<FakeConnection>((resolve) => void setTimeout(resolve, 12_000, connection));
    const { sessions } = createFakeSessions({ connect, affinity: "shared" });
    const told: number[] = [];
    const exchange = {
      ...createFakeExchange(),
      notify({ method: name, params }: JsonRpcNotification) {
        expect([name, params?.progressToken]).toEqual(["notifications/progress", "p"]);
        expect(params?.message).toBe('upstream "up" is starting');
        told.push(params?.progress as number);
        return true;
      },
    };
    const session = (await sessions.sessionFor(undefined)) as Session;
    const request = requestOf(method.callTool, { name: "t" });
    request.params._meta.progressToken = "p";
    const waiting = sessions.run(session, request, exchange);
    await vi.advanceTimersByTimeAsync(12_000);
    await waiting;
    expect(told).toHaveLength(3);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(new Set(told).size).toBe(3);
    expect(told.every((progress) => progress < 0)).toBe(true);
  });

  it("does not wait for an upstream whose next start is too far away", async () => {
    const { sessions, opened } = createFakeSessions({
      affinity: "shared",
      sessions: { waitMs: 500 },
      circuitBreaker: { firstMs: 501 },
    });
    await sessions.start();
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    await expect(run(sessions)).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: 501 } });
    await sessions.close();
  });

  it("limits the number of requests that wait for an upstream", async () => {
    const connect = () => new Promise<never>(() => {});
    const { sessions } = createFakeSessions({ connect, affinity: "shared", sessions: { maxWaiting: 1 } });
    run(sessions).catch(() => {});
    await vi.advanceTimersByTimeAsync(0);
    await expect(run(sessions)).rejects.toMatchObject({ data: { reason: "unavailable" } });
  });

  it("starts an upstream only on demand, if configured so", async () => {
    const { sessions, opened } = createFakeSessions({ start: "demand", circuitBreaker: { firstMs: 100 } });
    await sessions.start();
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(opened).toHaveLength(1);
    await run(sessions);
    expect(opened).toHaveLength(2);
    await sessions.close();
  });
});

describe("failures that do not count against the upstream", () => {
  it.each([
    ["http", "errors that the upstream itself returns", new McpError(-32603, "no luck")],
    ["http", "calls that take longer than the timeout", new TransportError("timeout", "no answer in 1000 ms")],
    ["http", "calls that their caller cancels", new TransportError("cancelled", "enough")],
    ["stdio", "calls lost with a process, whose end is counted already", new TransportError("lost", "killed")],
  ] as const)("does not count over %s: %s", async (kind, _what, failure) => {
    const dispatch = vi.fn<Dispatch>().mockRejectedValue(failure);
    const { sessions } = createFakeSessions({ kind, circuitBreaker: { maxFailures: 1 } }, () =>
      createFakeConnection({ dispatch }),
    );
    await sessions.start();
    for (let times = 0; times < 2; times += 1) await expect(run(sessions)).rejects.toBe(failure);
    expect(sessions.upstream.breaker.failures).toBe(0);
    await sessions.close();
  });
});

describe("an upstream over HTTP whose answers fail", () => {
  it("stops calling an upstream after several failures in a row and then admits one request at a time", async () => {
    const answers = vi.fn<Dispatch>().mockRejectedValue(new TransportError("unreachable", "refused"));
    const connection = createFakeConnection({ era: "modern", dispatch: answers });
    const { sessions } = createFakeSessions({
      connect: async () => connection,
      kind: "http",
      circuitBreaker: { maxFailures: 2, firstMs: 100 },
    });
    await sessions.start();
    const together = await Promise.allSettled([run(sessions), run(sessions), run(sessions)]);
    expect(together.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(sessions.upstream.breaker.failures).toBe(1);
    vi.advanceTimersByTime(100);
    await expect(run(sessions)).rejects.toThrow("refused");
    await expect(run(sessions)).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: 200 } });
    expect(answers).toHaveBeenCalledTimes(4);
    vi.advanceTimersByTime(200);
    answers.mockResolvedValue(done);
    expect(await run(sessions)).toBe(done);
    expect(await run(sessions)).toBe(done);
    await sessions.close();
  });
});

describe("session handles", () => {
  it("issues no handle for requests that begin no conversation", async () => {
    const { sessions } = createFakeSessions({ affinity: "handle" });
    const one = (await sessions.sessionFor("ann", { begins: false })) as Session;
    expect(one.key.handle).toBeUndefined();
    expect(await sessions.sessionFor("ann", { begins: false })).toBe(one);
    expect(await sessions.sessionFor("bob", { begins: false })).not.toBe(one);
    await sessions.close();
  });

  it("resolves a handle to its session, and to none after the session ended", async () => {
    const { sessions, opened } = createFakeSessions({ affinity: "handle" });
    const begun = (await sessions.sessionFor("ann")) as Session;
    const { handle } = begun.key;
    expect(await sessions.sessionFor("ann", { handle })).toBe(begun);
    await expect(sessions.sessionFor("bob", { handle })).rejects.toMatchObject({ data: { reason: "session_gone" } });
    await begun.opened;
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    await expect(sessions.sessionFor("ann", { handle })).rejects.toMatchObject({ data: { reason: "session_gone" } });
    await sessions.close();
  });
});

describe("sessions of several replicas", () => {
  /** What a store would keep for all of them. */
  function createDirectories() {
    const owners = new Map<string, string>();
    return (self: string): Directory => ({
      self,
      acquire(key) {
        if (!owners.has(key)) owners.set(key, self);
        return { owner: owners.get(key) as string };
      },
      release: (key) => void owners.delete(key),
      reach: () => undefined,
    });
  }

  it("keeps the session of a caller whose upstream is reconfigured", async () => {
    const directory = createDirectories()("one");
    const release = vi.spyOn(directory, "release");
    const upstream = { directory, affinity: "caller" } as const;
    const { sessions: renewed } = createFakeSessions(upstream);
    const { sessions } = createFakeSessions({ ...upstream, isKeyOfSuccessor: (key) => renewed.has(key) });
    for (const callerId of ["ann", "bob"]) await run(sessions, callerId);
    await run(renewed, "ann");
    await sessions.retire({ graceMs: 0 });
    expect(release.mock.calls).toEqual([["up caller bob"]]);
    await renewed.close();
  });

  it("releases the lease of an unknown handle", async () => {
    const directory = createDirectories()("one");
    const release = vi.spyOn(directory, "release");
    const { sessions } = createFakeSessions({ directory, affinity: "handle" });
    await expect(sessions.sessionFor("ann", { handle: "gone" })).rejects.toMatchObject({ code: -32603 });
    expect(release).toHaveBeenCalledTimes(1);
    await sessions.close();
  });

  it("keeps a caller's session in one replica while an older session of the same caller ends", async () => {
    const directoryOf = createDirectories();
    const limits = { lifetimeMs: 1_000 };
    const one = createFakeSessions({ directory: directoryOf("one"), affinity: "caller", sessions: limits });
    const two = createFakeSessions({ directory: directoryOf("two"), affinity: "caller" });
    const old = (await one.sessions.sessionFor("ann")) as Session;
    one.sessions.enter(old);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(old.isRetired).toBe(true);
    expect(await one.sessions.sessionFor("ann")).not.toBe(old);
    one.sessions.leave(old);
    expect(await two.sessions.sessionFor("ann")).toMatchObject({ replica: "one" });
    await Promise.all([one.sessions.close(), two.sessions.close()]);
  });

  it("releases the lease of a handle for which there was no room", async () => {
    const directory = createDirectories()("one");
    const release = vi.spyOn(directory, "release");
    const { sessions } = createFakeSessions({ directory, affinity: "handle", sessions: { max: 1, maxWaiting: 0 } });
    sessions.enter((await sessions.sessionFor("ann")) as Session);
    await expect(sessions.sessionFor("bob")).rejects.toMatchObject({ data: { reason: "busy" } });
    expect(release).toHaveBeenCalledTimes(1);
    await sessions.close();
  });

  it("keeps the session of anonymous callers in one replica, and the gateway's own in each", async () => {
    const directoryOf = createDirectories();
    const one = createFakeSessions({ directory: directoryOf("one"), affinity: "caller" });
    const two = createFakeSessions({ directory: directoryOf("two"), affinity: "caller" });
    expect(await one.sessions.sessionFor(undefined)).toMatchObject({ key: { isOwn: true } });
    expect(await two.sessions.sessionFor(undefined)).toEqual({ replica: "one", key: "up own" });
    expect(await two.sessions.dispatch(toOwnRequest(method.listTools), createFakeExchange())).toBe(done);
    await Promise.all([one.sessions.close(), two.sessions.close()]);
  });

  it("finds the owner of the anonymous session, although the gateway's own session is open in this replica", async () => {
    const directory = {
      self: "two",
      acquire: () => ({ owner: "one" }),
      holds: () => false,
      release: () => {},
      reach: () => undefined,
    };
    const { sessions } = createFakeSessions({ directory, affinity: "caller" });
    expect(await sessions.dispatch(toOwnRequest(method.listTools), createFakeExchange())).toBe(done);
    expect(await sessions.sessionFor(undefined)).toMatchObject({ replica: "one" });
    await sessions.close();
  });

  it("acquires a lease again that may be lost, and drops the session if another replica holds it", async () => {
    let holds = true;
    let keeper = "one";
    const acquire = vi.fn(() => ({ owner: keeper }));
    const directory = { self: "one", acquire, holds: () => holds, release: () => {}, reach: () => undefined };
    const { sessions, opened } = createFakeSessions({ directory, affinity: "caller" });
    const session = await sessions.sessionFor("ann");
    expect(await sessions.sessionFor("ann")).toBe(session);
    expect(acquire).toHaveBeenCalledTimes(1);
    holds = false;
    expect(await sessions.sessionFor("ann")).toBe(session);
    expect(acquire).toHaveBeenCalledTimes(2);
    keeper = "two";
    expect(await sessions.sessionFor("ann")).toMatchObject({ replica: "two" });
    acquire.mockImplementation(() => {
      throw new ReplicaError("unavailable", "cannot be asked", { retryAfterMs: 5 });
    });
    await expect(sessions.sessionFor("ann")).rejects.toMatchObject({
      message: 'upstream "up" cannot be asked',
      data: { reason: "unavailable", retryAfterMs: 5 },
    });
    expect(opened).toHaveLength(1);
    await sessions.close();
  });

  it("ends a session that another replica has opened again, and never returns to its state", async () => {
    let take: (key: string) => void = () => {};
    const onLost = vi.fn((listener: (key: string) => void) => {
      take = listener;
      return stop;
    });
    const stop = vi.fn();
    const directory = {
      self: "one",
      acquire: () => ({ owner: "one" }),
      onLost,
      release: () => {},
      reach: () => undefined,
    };
    const { sessions, opened } = createFakeSessions({ directory, affinity: "caller" });
    const session = (await sessions.sessionFor("ann")) as Session;
    await session.opened;
    sessions.enter(session);
    for (const key of ["up caller bob", "upper caller ann", "up caller ann"]) take(key);
    const next = (await sessions.sessionFor("ann")) as Session;
    expect(next).not.toBe(session);
    await next.opened;
    // What runs is let finish.
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    sessions.leave(session);
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    await sessions.close();
    expect(stop).toHaveBeenCalledTimes(1);
  });

  it("releases a caller's lease when there was no room, unless another request waits there", async () => {
    const directory = createDirectories()("one");
    const release = vi.spyOn(directory, "release");
    const limits = { max: 1, waitMs: 1_000 };
    const { sessions } = createFakeSessions({ directory, affinity: "caller", sessions: limits });
    sessions.enter((await sessions.sessionFor("ann")) as Session);
    const refused = { data: { reason: "busy" } };
    const first = expect(sessions.sessionFor("bob")).rejects.toMatchObject(refused);
    await vi.advanceTimersByTimeAsync(500);
    const second = expect(sessions.sessionFor("bob")).rejects.toMatchObject(refused);
    await vi.advanceTimersByTimeAsync(500);
    await first;
    expect(release).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(500);
    await second;
    expect(release.mock.calls).toEqual([["up caller bob"]]);
    await sessions.close();
  });

  it("keeps a caller's session in one replica", async () => {
    const directoryOf = createDirectories();
    const one = createFakeSessions({ directory: directoryOf("one"), affinity: "caller" });
    const two = createFakeSessions({ directory: directoryOf("two"), affinity: "caller" });
    const session = (await one.sessions.sessionFor("ann")) as Session;
    expect(await two.sessions.sessionFor("ann")).toMatchObject({ replica: "one" });
    await session.opened;
    one.opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    expect(await two.sessions.sessionFor("ann")).toMatchObject({ key: { callerId: "ann" } });
    await Promise.all([one.sessions.close(), two.sessions.close()]);
  });
});

describe("requests of the gateway itself", () => {
  it("uses the gateway's own session for requests of the gateway itself", async () => {
    const { sessions, opened } = createFakeSessions();
    expect(await sessions.dispatch(toOwnRequest(method.listTools), createFakeExchange())).toBe(done);
    expect(opened).toHaveLength(1);
    await sessions.close();
  });
});
