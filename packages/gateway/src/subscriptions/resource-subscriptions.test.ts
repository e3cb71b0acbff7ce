import {
  type Dispatch,
  type Exchange,
  isJsonObject,
  type JsonObject,
  method,
  notificationMethod,
  type Result,
  toAcknowledged,
} from "@lethe/protocol";
import { createLocalDirectory, type Directory, ReplicaError } from "@lethe/server/stores";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sessionMetaKey } from "../calls/session-argument.ts";
import { createFakeConnection, createFakeSessions, type FakeUpstream } from "../testing/fakes.ts";
import { createResourceSubscriptions } from "./resource-subscriptions.ts";
import type { SubscriptionScope } from "./upstream-listen.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Listening {
  uris: string[];
  update(uri: string): void;
  end(): void;
}

/** An upstream that grants what `grants` says, and keeps its listen streams open. */
function setUp(upstream: FakeUpstream = {}, grants: (uri: string) => boolean = () => true) {
  const listening: Listening[] = [];
  const dispatch: Dispatch = async ({ id, params, method: name }, exchange: Exchange) => {
    if (name !== method.listen) throw new Error("only listens");
    const wanted = isJsonObject(params.notifications) ? (params.notifications.resourceSubscriptions as string[]) : [];
    const granted = wanted.filter(grants);
    return new Promise<Result>((resolve) => {
      const end = () => {
        const index = listening.indexOf(entry);
        if (index >= 0) listening.splice(index, 1);
        resolve({ resultType: "complete" });
      };
      const entry: Listening = {
        uris: granted,
        end,
        update: (uri) =>
          void exchange.notify({
            jsonrpc: "2.0",
            method: notificationMethod.resourceUpdated,
            params: { uri } as JsonObject,
          }),
      };
      listening.push(entry);
      exchange.signal.addEventListener("abort", end);
      exchange.notify(toAcknowledged(id, granted.length > 0 ? { resourceSubscriptions: granted } : {}));
    });
  };
  const make = (policy: FakeUpstream) => createFakeSessions(policy, () => createFakeConnection({ dispatch }));
  const { sessions, opened } = make(upstream);
  const now = { sessions };
  /** Another configuration of the same upstream is in force. */
  const replace = async (policy: FakeUpstream) => {
    now.sessions = make(policy).sessions;
    await sessions.retire({ graceMs: 0 });
    for (const { end } of [...listening]) end();
    await vi.advanceTimersByTimeAsync(2_000);
  };
  const watches = createResourceSubscriptions({ currentOf: () => now.sessions });
  const scope = (callerId?: string, handle?: string): SubscriptionScope => ({ sessions, callerId, handle });
  return { listening, sessions, opened, watches, scope, replace };
}

describe("resource subscriptions at upstreams", () => {
  it("keeps watching resources when their upstream is reconfigured", async () => {
    const { watches, listening, scope, replace } = setUp({ affinity: "shared" });
    const heard: string[] = [];
    const watch = await watches.acquire(scope(), ["x:/a"], (uri) => heard.push(uri));
    await replace({ affinity: "shared", prefix: "new" });
    expect([listening.length, heard]).toEqual([1, ["x:/a"]]);
    listening[0]?.update("x:/a");
    expect(heard).toHaveLength(2);
    watch.release();
    expect(listening).toEqual([]);
  });

  it("does not watch shared resources in the session of one caller", async () => {
    const { watches, listening, scope, replace } = setUp({ affinity: "shared" });
    const ann = await watches.acquire(scope("ann"), ["x:/a"], () => {});
    const bob = await watches.acquire(scope("bob"), ["x:/a"], () => {});
    await replace({ affinity: "caller" });
    expect(listening).toEqual([]);
    for (const watch of [ann, bob]) watch.release();
  });

  it("subscribes once at the upstream for all listeners, until the last one leaves", async () => {
    const { watches, listening, scope } = setUp();
    const heard: string[] = [];
    const one = await watches.acquire(scope(), ["x:/a", "x:/b"], (uri) => heard.push(`one ${uri}`));
    const two = await watches.acquire(scope(), ["x:/a"], (uri) => heard.push(`two ${uri}`));
    expect(listening.map(({ uris }) => uris)).toEqual([["x:/a", "x:/b"]]);
    listening[0]?.update("x:/a");
    expect(heard).toEqual(["one x:/a", "two x:/a"]);
    one.release();
    listening[0]?.update("x:/a");
    expect(heard).toHaveLength(3);
    expect(watches.size).toBe(1);
    two.release();
    expect([watches.size, listening]).toEqual([0, []]);
  });

  it("subscribes after a moment in which the owner of the session cannot be reached", async () => {
    const local = createLocalDirectory();
    let failures = 3;
    const acquire = () => {
      failures -= 1;
      if (failures >= 0) throw new ReplicaError("unavailable", "Redis does not answer", { retryAfterMs: 1_000 });
      return { owner: local.self };
    };
    const { watches, listening, scope } = setUp({ affinity: "caller", directory: { ...local, acquire } });
    const granted = watches.acquire(scope("ann"), ["x:/a"], () => {});
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await granted).uris).toEqual(["x:/a"]);
    expect(listening).toHaveLength(1);
  });

  it("grants nothing when the owner of the session cannot be reached for too long", async () => {
    const acquire = () => {
      throw new ReplicaError("unavailable", "Redis does not answer", { retryAfterMs: 1_000 });
    };
    const { watches, scope } = setUp({ affinity: "caller", directory: { ...createLocalDirectory(), acquire } });
    const granted = watches.acquire(scope("ann"), ["x:/a"], () => {});
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await granted).uris).toEqual([]);
  });

  it("grants only resources that the upstream grants (J-60)", async () => {
    const { watches, scope } = setUp({}, (uri) => uri === "x:/a");
    const watch = await watches.acquire(scope(), ["x:/a", "x:/b"], () => {});
    expect(watch.uris).toEqual(["x:/a"]);
    expect(watches.size).toBe(1);
  });

  it("grants nothing if the upstream does not acknowledge, and limits the wait", async () => {
    const dispatch = () => new Promise<never>(() => {});
    const { sessions } = createFakeSessions({}, () => createFakeConnection({ dispatch }));
    const watches = createResourceSubscriptions({ currentOf: () => sessions });
    const asked = watches.acquire({ sessions, callerId: undefined, handle: undefined }, ["x:/a"], () => {});
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await asked).uris).toEqual([]);
    expect(watches.size).toBe(0);
  });

  it("reports an update of a part under the subscribed URI (E-13)", async () => {
    const { watches, listening, scope } = setUp();
    const heard: string[] = [];
    await watches.acquire(scope(), ["x:/a"], (uri) => heard.push(uri));
    listening[0]?.update("x:/a/part");
    listening[0]?.update("x:/abc");
    expect(heard).toEqual(["x:/a"]);
  });

  it("reports resources as updated when the upstream returns, because updates may be lost (J-60)", async () => {
    const { watches, listening, scope } = setUp();
    const heard: string[] = [];
    await watches.acquire(scope(), ["x:/a"], (uri) => heard.push(uri));
    listening[0]?.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heard).toEqual(["x:/a"]);
    expect(listening).toHaveLength(1);
    watches.close();
    expect(listening).toEqual([]);
  });
});

describe("limits of resource subscriptions", () => {
  it("limits the watched resources of a caller and tells it when to retry", () => {
    const watches = createResourceSubscriptions({ currentOf: () => undefined, maxWatchedPerCaller: 2 });
    const release = watches.reserve("ann", 2);
    expect(() => watches.reserve("ann", 1)).toThrow(
      expect.objectContaining({ code: -32603, data: { retryAfterMs: 5_000 } }),
    );
    watches.reserve("bob", 2);
    watches.reserve(undefined, 3);
    release();
    expect(() => watches.reserve("ann", 2)).not.toThrow();
  });
});

describe("sessions of resource subscriptions", () => {
  it("reports updates only from the caller's own session", async () => {
    const { watches, listening, scope, opened } = setUp();
    const heard: string[] = [];
    await watches.acquire(scope("ann"), ["x:/a"], () => heard.push("ann"));
    await watches.acquire(scope("bob"), ["x:/a"], () => heard.push("bob"));
    expect(listening).toHaveLength(2);
    listening[0]?.update("x:/a");
    expect(heard).toEqual(["ann"]);
    expect(opened.length).toBe(3);
  });

  it("watches a shared session once for all callers", async () => {
    const { watches, listening, scope } = setUp({ affinity: "shared" });
    await watches.acquire(scope("ann"), ["x:/a"], () => {});
    await watches.acquire(scope("bob"), ["x:/a"], () => {});
    expect(listening).toHaveLength(1);
  });

  it("watches a session of another replica by its session key", async () => {
    const there = setUp({ affinity: "handle" });
    const asked: unknown[] = [];
    const directory: Directory = {
      ...createLocalDirectory(),
      acquire: () => ({ owner: "two" }),
      reach: (replica, path) => (request, exchange) => {
        asked.push([replica, path, request.params._meta[sessionMetaKey]]);
        return there.sessions.dispatch(request, exchange);
      },
    };
    const { watches, scope, opened } = setUp({ affinity: "handle", directory, path: "/mcp/up" });
    const heard: string[] = [];
    const watch = await watches.acquire(scope("ann", "h"), ["x:/a"], (uri) => heard.push(uri));
    there.listening[0]?.update("x:/a");
    expect([watch.uris, heard]).toEqual([["x:/a"], ["x:/a"]]);
    expect(asked).toEqual([["two", "/mcp/up", "h"]]);
    watch.release();
    expect([there.listening, opened]).toEqual([[], []]);
  });

  it("watches no session if each call has its own or no handle names one", async () => {
    for (const affinity of ["call", "handle"] as const) {
      const { watches, scope } = setUp({ affinity });
      expect((await watches.acquire(scope("ann"), ["x:/a"], () => {})).uris).toEqual([]);
    }
  });
});
