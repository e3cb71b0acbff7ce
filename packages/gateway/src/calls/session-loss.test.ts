// Notices of lost session state: the next call of a caller fails once with the cause, or its result carries the cause.
import { TransportError } from "@lethe/client";
import { PendingCalls } from "@lethe/client/edge";
import { type Dispatch, type JsonObject, McpError, method, type Result } from "@lethe/protocol";
import { createSeal } from "@lethe/server/edge";
import { createKeyRing, createLocalDirectory, type Directory, ReplicaError } from "@lethe/server/stores";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createFakeConnection,
  createFakeExchange,
  createFakeSessions,
  done,
  type FakeConnection,
  type FakeConnectionOptions,
  type FakeUpstream,
  requestOf,
} from "../testing/fakes.ts";
import { noCallTasks } from "../testing/no-tasks.ts";
import { LostSessions } from "../upstreams/sessions/lost-sessions.ts";
import { CallForwarder } from "./call-forwarder.ts";
import { createRequestStateSeal } from "./request-state.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const seal = createRequestStateSeal(createSeal(createKeyRing(), { server: "g" }));

interface Setup extends FakeUpstream {
  connection?: FakeConnectionOptions;
}

function setUp({
  connection,
  directory = createLocalDirectory(),
  lost = new LostSessions({ directory }),
  ...upstream
}: Setup = {}) {
  const circuitBreaker = { firstMs: 0, maxMs: 0 };
  const pool = createFakeSessions({ directory, lost, circuitBreaker, ...upstream }, () =>
    createFakeConnection(connection),
  );
  const { sessions } = pool;
  const forwarder = new CallForwarder({
    ...{ seal, directory, path: "/mcp", tasks: noCallTasks, pendingCalls: new PendingCalls() },
  });
  function send(callerId: string | undefined, called: string = method.callTool): Promise<Result> {
    const target = called === method.readResource ? { uri: "a:b" } : { name: "tool" };
    const request = requestOf(called, target);
    return forwarder.forward({ sessions, params: target }, request, createFakeExchange(callerId));
  }
  /** The cause in the error of a call of this caller, or its result. */
  async function outcome(callerId: string | undefined, called?: string): Promise<unknown> {
    try {
      return await send(callerId, called);
    } catch (error) {
      const { data } = error as McpError;
      return (data as JsonObject).reason === "session_lost" ? (data as JsonObject).cause : data;
    }
  }
  return { ...pool, lost, send, outcome, forwarder };
}

const result = { content: done.content };

describe("a caller whose session lost its state", () => {
  it("gets one typed error that names the cause, and then a new session", async () => {
    const dispatch = vi.fn<Dispatch>(async () => done);
    const { send, outcome, opened, sessions } = setUp({ connection: { dispatch } });
    await send("ann");
    opened.at(-1)?.end("the process exited with code 1");
    await vi.advanceTimersByTimeAsync(0);
    await expect(send("ann")).rejects.toMatchObject({
      code: -32603,
      message:
        'upstream "up" has lost the state of this session: the server ended or the connection to it broke; the call has not started, and the next call begins a new session',
      data: { reason: "session_lost", upstream: "up", cause: "upstream_restarted" },
    });
    expect(dispatch).toHaveBeenCalledTimes(1);
    expect(await outcome("ann")).toMatchObject(result);
    expect(dispatch).toHaveBeenCalledTimes(2);
    expect(sessions.losses.counts).toEqual({ upstream_restarted: 1 });
  });

  it("gets the error once if several calls arrive at the same time", async () => {
    const { send, outcome, opened } = setUp();
    await send("ann");
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    const outcomes = await Promise.all([1, 2, 3].map(() => outcome("ann")));
    expect(outcomes.filter((told) => told === "upstream_restarted")).toHaveLength(1);
  });

  it("gets the error with its next call, resource or prompt, and not with other requests", async () => {
    const { send, outcome, opened } = setUp();
    for (const called of [method.readResource, method.getPrompt]) {
      await send("ann");
      opened.at(-1)?.end("killed");
      await vi.advanceTimersByTimeAsync(0);
      expect(await outcome("ann", method.complete)).toMatchObject(result);
      expect(await outcome("ann", called)).toBe("upstream_restarted");
      expect(await outcome("ann", called)).toMatchObject(result);
    }
  });

  it("gets the result with the cause in its _meta if the operator chose to continue", async () => {
    const { send, opened } = setUp({ sessions: { onLoss: "continue" } });
    await send("ann");
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    expect(await send("ann")).toMatchObject({ ...result, _meta: { "lethe/session_lost": "upstream_restarted" } });
    expect((await send("ann"))._meta).not.toHaveProperty("lethe/session_lost");
  });

  it("finds the cause in the next result if the call that should have carried it failed", async () => {
    const dispatch = vi.fn<Dispatch>(async () => done);
    const { send, opened } = setUp({ sessions: { onLoss: "continue" }, connection: { dispatch } });
    await send("ann");
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    dispatch.mockRejectedValueOnce(new TransportError("timeout", "no answer"));
    await expect(send("ann")).rejects.toMatchObject({ data: { reason: "timeout" } });
    expect(await send("ann")).toMatchObject({ _meta: { "lethe/session_lost": "upstream_restarted" } });
  });

  it("gets the error if the gateway replaces the session because the server may still ask for a cancelled call", async () => {
    const dispatch = vi.fn<Dispatch>(async () => done);
    const { send, outcome } = setUp({ connection: { dispatch } });
    await send("ann");
    dispatch.mockRejectedValueOnce(new TransportError("lost_track", "may still ask"));
    expect(await outcome("ann")).toBe("replaced");
    expect(await outcome("ann")).toMatchObject(result);
  });

  it("gets the error after an eviction, after idleness and after the lifetime of the session", async () => {
    const sessionLimits = { max: 1, waitMs: 0, idleMs: 120_000, lifetimeMs: 150_000 };
    const { send, outcome, sessions } = setUp({ sessions: sessionLimits });
    await send("ann");
    await vi.advanceTimersByTimeAsync(60_000);
    await send("bob");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcome("ann")).toBe("evicted");
    await send("ann");
    expect(await outcome("ann")).toMatchObject(result);
    await vi.advanceTimersByTimeAsync(150_000);
    expect(await outcome("ann")).toBe("expired");
    await send("ann");
    for (let minute = 0; minute < 3; minute += 1) {
      await vi.advanceTimersByTimeAsync(45_000);
      await send("ann");
    }
    await vi.advanceTimersByTimeAsync(45_000);
    expect(await outcome("ann")).toBe("expired");
    await sessions.close();
  });

  it("gets the error if the connection finds that the server has forgotten the session", async () => {
    let lostSessions = 0;
    const make = () => Object.defineProperty(createFakeConnection(), "lostSessions", { get: () => lostSessions });
    const { send, outcome } = setUp({ connect: async () => make() });
    await send("ann");
    lostSessions = 1;
    expect(await outcome("ann", method.complete)).toMatchObject(result);
    expect(await outcome("ann")).toBe("session_ended");
    expect(await outcome("ann")).toMatchObject(result);
    // The session of bob was opened before, and held nothing when it was forgotten.
    expect(await outcome("bob")).toMatchObject(result);
    lostSessions = 2;
    expect(await outcome("bob")).toBe("session_ended");
  });

  it("gets the error from the sessions of the new configuration after a change of the server's configuration", async () => {
    const directory = createLocalDirectory();
    const before = setUp({ directory });
    await before.send("ann");
    const after = setUp({ directory, lost: before.lost });
    await before.sessions.retire({ graceMs: 0, keepsWaiting: true });
    expect(await after.outcome("ann")).toBe("reconfigured");
    expect(await after.outcome("ann")).toMatchObject(result);
    await after.sessions.close();
  });

  it("gets the error although its new session also ends before the next call", async () => {
    const { send, outcome, opened } = setUp();
    await send("ann");
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    await outcome("ann", method.complete);
    opened.at(-1)?.end("killed again");
    await vi.advanceTimersByTimeAsync(0);
    expect(await outcome("ann")).toBe("upstream_restarted");
    expect(await outcome("ann")).toMatchObject(result);
  });
});

describe("a caller that has nothing to lose", () => {
  const end = async (connections: readonly FakeConnection[]) => {
    for (const connection of connections) connection.end("killed");
    await vi.advanceTimersByTimeAsync(1_500);
  };

  it.each<[what: string, upstream: Setup, callerId: string | undefined]>([
    ["anonymous callers, who share a session", {}, undefined],
    ["callers that share a session", { affinity: "shared" }, "ann"],
    ["callers with a session for each call", { affinity: "call" }, "ann"],
    [
      "callers of a server without sessions",
      { kind: "http", affinity: "caller", connection: { era: "modern" } },
      "ann",
    ],
    ["callers of a server that keeps no state", { sharing: "shared", affinity: "caller" }, "ann"],
  ])("is not told: %s", async (_, upstream, callerId) => {
    const { send, outcome, opened } = setUp(upstream);
    await send(callerId);
    await end(opened);
    expect(await outcome(callerId)).toMatchObject(result);
  });

  it("gets no error about a session in which no call has succeeded", async () => {
    const dispatch = vi.fn<Dispatch>(async () => done).mockRejectedValueOnce(new McpError(-32602, "no such tool"));
    const { outcome, send, opened } = setUp({ connection: { dispatch } });
    await expect(send("ann")).rejects.toMatchObject({ code: -32602 });
    await send("ann", method.complete);
    await end(opened);
    expect(await outcome("ann")).toMatchObject(result);
  });

  it("gets no error about a session that the server forgot before its first call", async () => {
    let lostSessions = 0;
    const make = () => Object.defineProperty(createFakeConnection(), "lostSessions", { get: () => lostSessions });
    const { send, outcome } = setUp({ connect: async () => make() });
    await send("ann", method.complete);
    lostSessions = 1;
    expect(await outcome("ann")).toMatchObject(result);
    expect(await outcome("ann")).toMatchObject(result);
  });
});

describe("a session that another replica owned", () => {
  /** A directory in which this replica inherits each session from `formerOwner`. */
  function inheriting(formerOwner: string | undefined) {
    const local = createLocalDirectory();
    const owned = new Set<string>();
    const released: string[] = [];
    const listeners: ((key: string) => void)[] = [];
    const directory: Directory = {
      ...local,
      acquire(key) {
        const isNew = !owned.has(key);
        owned.add(key);
        return { owner: local.self, ...(isNew && formerOwner !== undefined && { formerOwner }) };
      },
      holds: (key) => owned.has(key),
      release(key) {
        owned.delete(key);
        released.push(key);
      },
      onLost(listener) {
        listeners.push(listener);
        return () => {};
      },
    };
    const lose = (key: string) => {
      owned.delete(key);
      for (const tell of listeners) tell(key);
    };
    return { directory, owned, released, lose };
  }

  it("its caller gets the error from the replica that acquires it, unless the server keeps no state", async () => {
    const { outcome } = setUp({ directory: inheriting("another").directory });
    expect(await outcome("ann")).toBe("replica_lost");
    expect(await outcome("ann")).toMatchObject(result);
    const stateless = setUp({ directory: inheriting("another").directory, affinity: "caller", sharing: "shared" });
    expect(await stateless.outcome("ann")).toMatchObject(result);
  });

  it("its caller gets the error although the new session fails to open at first", async () => {
    const { directory, released } = inheriting("another");
    let failures = 3;
    const connect = async () => {
      failures -= 1;
      if (failures >= 0) throw new TransportError("unreachable", "up: cannot be started now");
      return createFakeConnection();
    };
    const { outcome } = setUp({ directory, connect });
    const told: unknown[] = [];
    while (!told.includes("replica_lost") && told.length < 5) {
      const call = outcome("ann").then((cause) => told.push(cause));
      await vi.advanceTimersByTimeAsync(20_000);
      await call;
    }
    expect(told).toContain("replica_lost");
    expect(released).toEqual([]);
    expect(await outcome("ann")).toMatchObject(result);
  });

  it("stays leased when a request arrives at a replica that has closed it to stop", async () => {
    const { directory, released } = inheriting(undefined);
    const { send, outcome, sessions, opened } = setUp({ directory });
    await send("ann");
    await sessions.handOver();
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    directory.acquire = () => {
      throw new ReplicaError("unavailable", "is being stopped", { retryAfterMs: 1_000 });
    };
    directory.holds = () => false;
    const late = outcome("ann");
    await vi.advanceTimersByTimeAsync(20_000);
    await late;
    expect(released).toEqual([]);
  });

  it("does not continue in an older session here", async () => {
    const { directory, owned } = inheriting("another");
    const { outcome, opened } = setUp({ directory });
    await outcome("ann");
    await outcome("ann");
    const count = opened.length;
    // This replica did not notice that another one owned the session for a while.
    owned.clear();
    expect(await outcome("ann")).toBe("replica_lost");
    expect(await outcome("ann")).toMatchObject(result);
    expect(opened).toHaveLength(count + 1);
  });

  it("stays leased to the replica that lost its state until the caller gets the error", async () => {
    const { directory, released } = inheriting(undefined);
    const { send, outcome, opened, lost } = setUp({ directory });
    await send("ann");
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    expect([lost.size, released]).toEqual([1, []]);
    expect(await outcome("ann")).toBe("upstream_restarted");
    expect([lost.size, released]).toEqual([0, []]);
    await send("bob", method.complete);
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    expect(released).toEqual(["up caller bob"]);
  });

  it("a replica that stops gives up sessions without state, and leaves the others to be found as lost", async () => {
    const { directory, released } = inheriting(undefined);
    const { send, sessions } = setUp({ directory });
    await send("ann");
    await send("bob", method.complete);
    await sessions.handOver();
    expect(released).toEqual(["up caller bob"]);
    await sessions.close();
    expect(released).not.toContain("up caller ann");
  });

  it("a replica that stops gives up many sessions in several turns of the event loop", async () => {
    const { directory, released } = inheriting(undefined);
    const { sessions } = setUp({ directory, affinity: "caller", sessions: { max: 250 } });
    for (let caller = 0; caller < 250; caller += 1) await sessions.sessionFor(`c${caller}`);
    const handedOver = sessions.handOver();
    expect(released).toHaveLength(99);
    await handedOver;
    expect(released).toHaveLength(250);
    await sessions.close();
  });

  it("a replica that stops keeps the lease of a session whose first call is running or waits for the session", async () => {
    const { directory, released } = inheriting(undefined);
    let open = () => {};
    let finish = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const connect = async () => {
      await opened;
      return createFakeConnection({ dispatch: () => finished.then(() => done) });
    };
    const { send, sessions } = setUp({ directory, connect });
    const calls = [send("ann"), send("bob", method.complete)];
    await vi.advanceTimersByTimeAsync(0);
    await sessions.handOver();
    open();
    await vi.advanceTimersByTimeAsync(0);
    await sessions.handOver();
    finish();
    await Promise.all(calls);
    expect(released).toEqual([]);
    await sessions.close();
    expect(released).toEqual(["up caller bob"]);
  });

  it("its loss is forgotten when another replica acquires it and tells the caller", async () => {
    const { directory, lose } = inheriting(undefined);
    const { send, opened, lost } = setUp({ directory });
    await send("ann");
    opened.at(-1)?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    lose("up caller ann");
    expect(lost.size).toBe(0);
  });
});
