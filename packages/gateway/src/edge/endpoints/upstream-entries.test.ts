import { PendingCalls } from "@lethe/client/edge";
import { method, type Result } from "@lethe/protocol";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type GatewayPendingCalls, SessionHold } from "../../calls/pending-call.ts";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import {
  createFakeConnection,
  createFakeExchange,
  createFakeSessions,
  done,
  type FakeConnection,
  requestOf,
} from "../../testing/fakes.ts";
import type { Session } from "../../upstreams/sessions/session.ts";
import { createUpstreamEntries } from "./upstream-entries.ts";
import type { UpstreamEntry } from "./upstream-entry.ts";
import { UpstreamTable } from "./upstream-table.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

function setUp() {
  const pendingCalls: GatewayPendingCalls = new PendingCalls({ pendingTtlMs: 60_000 });
  const opened: FakeConnection[][] = [];
  let finish = (_: Result): void => {};
  const table = new UpstreamTable();
  const entries = createUpstreamEntries({
    table,
    pendingCalls,
    create(upstream) {
      const { name } = upstream;
      const made = createFakeSessions(
        {
          name,
          affinity: "caller",
          onSessionEnd: (ended) => pendingCalls.drop(({ holder }) => holder?.session === ended),
        },
        () => createFakeConnection({ dispatch: () => new Promise((resolve) => (finish = resolve)) }),
      );
      opened.push(made.opened);
      // The members that createUpstreamEntries reads.
      return {
        sessions: Object.assign(made.sessions, { config: upstream }),
        close: () => {},
        endpoint: { servable: {} },
      } as unknown as UpstreamEntry;
    },
    onChange: () => {},
    read: async () => {},
  });
  const upstream = (prefix: string): UpstreamConfig => ({
    ...{ kind: "stdio", name: "up", command: "none", args: [], env: {} },
    prefix,
  });
  /** A call of ann's waits at the upstream as it is now. */
  async function park(): Promise<string> {
    const sessions = table.upstreams.get("up") as UpstreamEntry["sessions"];
    const session = (await sessions.sessionFor("ann")) as Session;
    const resume = () => Promise.resolve(done);
    const request = requestOf(method.callTool);
    const waiting = { owner: session, callerId: "ann", request, inputRequests: {}, resume, cancel: () => {} };
    const id = pendingCalls.add(waiting) as string;
    pendingCalls.hold(
      id,
      new SessionHold({ request: requestOf("tools/call", { name: "ask" }), target: { sessions } }, session),
    );
    return id;
  }
  /** A call of ann's runs at the upstream as it is now. */
  async function run(): Promise<void> {
    const sessions = table.upstreams.get("up") as UpstreamEntry["sessions"];
    const session = (await sessions.sessionFor("ann")) as Session;
    await session.opened;
    sessions.enter(session);
    const over = () => sessions.leave(session);
    void sessions.run(session, requestOf(method.callTool), createFakeExchange("ann")).then(over, over);
  }
  return { table, entries, pendingCalls, opened, upstream, park, run, finish: () => finish(done) };
}

describe("reconfiguring upstream entries", () => {
  it("replaces only upstream entries whose configuration differs", async () => {
    const { table, entries, upstream } = setUp();
    entries.reconfigure([upstream("a"), { ...upstream("b"), name: "other" }]);
    const [before, other] = table.upstreams.values();
    const { added, changed, removed } = entries.reconfigure([upstream("c"), { ...upstream("b"), name: "other" }]);
    expect({ added, changed, removed }).toEqual({ added: [], changed: ["up"], removed: [] });
    expect(table.upstreams.get("other")).toBe(other);
    expect(table.upstreams.get("up")).not.toBe(before);
    await entries.close();
  });

  it("keeps a pending call of a changed upstream in its session until it ends or expires", async () => {
    for (const isAnswered of [true, false]) {
      const { table, entries, pendingCalls, opened, upstream, park } = setUp();
      entries.reconfigure([upstream("a")]);
      const id = await park();
      const [before] = table.upstreams.values();
      entries.reconfigure([upstream("b")]);
      await vi.advanceTimersByTimeAsync(50_000);
      expect(table.retiredOf("up")).toEqual([before]);
      expect(opened[0]?.map(({ isClosed }) => isClosed)).toEqual([true, false]);
      if (isAnswered) await pendingCalls.resume(id, {}, "ann")(requestOf(method.callTool), createFakeExchange("ann"));
      else await vi.advanceTimersByTimeAsync(10_000);
      await vi.advanceTimersByTimeAsync(0);
      expect([table.retiredOf("up"), pendingCalls.size]).toEqual([[], 0]);
      expect(opened[0]?.every(({ isClosed }) => isClosed)).toBe(true);
      await entries.close();
    }
  });

  it("lets a running call of a changed upstream finish within the call timeout", async () => {
    for (const isOver of [true, false]) {
      const { table, entries, opened, upstream, run, finish } = setUp();
      entries.reconfigure([upstream("a")]);
      await run();
      entries.reconfigure([upstream("b")], { graceMs: 10_000 });
      await vi.advanceTimersByTimeAsync(3_000_000);
      expect(opened[0]?.map(({ isClosed }) => isClosed)).toEqual([true, false]);
      if (isOver) finish();
      else await vi.advanceTimersByTimeAsync(700_000);
      await vi.advanceTimersByTimeAsync(0);
      expect(table.retiring.size).toBe(0);
      expect(opened[0]?.every(({ isClosed }) => isClosed)).toBe(true);
      await entries.close();
    }
  });

  it("gives running calls of a removed upstream the grace time", async () => {
    const { entries, opened, upstream, run } = setUp();
    entries.reconfigure([upstream("a")]);
    await run();
    entries.reconfigure([], { graceMs: 10_000 });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(opened[0]?.at(-1)?.isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(opened[0]?.at(-1)?.isClosed).toBe(true);
    await entries.close();
  });

  it("discards all state of a removed upstream, including earlier configurations", async () => {
    const { table, entries, pendingCalls, opened, upstream, park } = setUp();
    entries.reconfigure([upstream("a")]);
    await park();
    entries.reconfigure([upstream("b")]);
    await park();
    await vi.advanceTimersByTimeAsync(0);
    entries.reconfigure([]);
    await vi.advanceTimersByTimeAsync(0);
    expect([table.retiredOf("up"), pendingCalls.size]).toEqual([[], 0]);
    expect(opened.flat().every(({ isClosed }) => isClosed)).toBe(true);
  });
});

it("closes the upstream entries without waiting", async () => {
  const { entries, opened, upstream, park } = setUp();
  entries.reconfigure([upstream("a")]);
  await park();
  entries.reconfigure([upstream("b")]);
  await vi.advanceTimersByTimeAsync(0);
  await entries.close();
  expect(opened.flat().every(({ isClosed }) => isClosed)).toBe(true);
});
