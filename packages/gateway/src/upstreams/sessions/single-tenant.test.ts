// A server that ends its connections when another one begins: its callers have it one after the other.
import { TransportError } from "@lethe/client";
import type { JsonObject } from "@lethe/protocol";
import { method } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFakeConnection, createFakeExchange, createFakeSessions, requestOf } from "../../testing/fakes.ts";
import type { FactStore } from "./learned-facts.ts";
import type { Session } from "./session.ts";
import type { UpstreamSessions } from "./upstream-sessions.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function createCrowded(more: Parameters<typeof createFakeSessions>[0] = {}) {
  let mostOpen = 0;
  const parts = createFakeSessions(more, () => {
    const before = parts.opened.filter(({ isClosed }) => !isClosed);
    for (const connection of before) {
      connection.isClosed = true;
      connection.end("the process ended");
    }
    mostOpen = Math.max(mostOpen, before.length + 1);
    return createFakeConnection();
  });
  const open = () => parts.opened.filter(({ isClosed }) => !isClosed).length;
  return { ...parts, open, resetMost: () => (mostOpen = 0), mostOpen: () => mostOpen };
}

async function run(sessions: UpstreamSessions, callerId: string): Promise<string> {
  const session = (await sessions.sessionFor(callerId)) as Session;
  sessions.enter(session);
  const request = requestOf(method.callTool, { name: "t" });
  const running = sessions.run(session, request, createFakeExchange(callerId));
  return running.then(() => session.id).finally(() => sessions.leave(session));
}

/** Runs a call while the clock advances. */
async function runFor(ms: number, sessions: UpstreamSessions, callerId: string): Promise<string> {
  const running = run(sessions, callerId);
  await vi.advanceTimersByTimeAsync(ms);
  return running;
}

async function learn({ sessions }: ReturnType<typeof createCrowded>): Promise<void> {
  await sessions.start();
  for (const caller of ["ann", "bob", "ann", "bob"]) {
    const running = run(sessions, caller).catch(() => {});
    await vi.advanceTimersByTimeAsync(61_000);
    await running;
  }
}

describe("a server that ends when a second connection begins", () => {
  it("never opens two connections to a server after detecting that it accepts one", async () => {
    const onEvent = vi.fn();
    const parts = createCrowded({ onEvent });
    await learn(parts);
    expect(parts.sessions.isSingleTenant).toBe(true);
    expect(onEvent).toHaveBeenCalledWith({ kind: "single-tenant", upstream: "up" });
    await vi.advanceTimersByTimeAsync(120_000);
    parts.resetMost();
    const first = await runFor(1_000, parts.sessions, "ann");
    expect(await run(parts.sessions, "ann")).toBe(first);
    expect(await runFor(59_000, parts.sessions, "bob")).not.toBe(first);
    expect(parts.mostOpen()).toBe(1);
    await parts.sessions.close();
    expect(parts.open()).toBe(0);
  });

  it("gives a caller its turn when the previous one was idle for 20 s", async () => {
    const parts = createCrowded();
    await learn(parts);
    await vi.advanceTimersByTimeAsync(120_000);
    await runFor(1_000, parts.sessions, "ann");
    await run(parts.sessions, "ann");
    const answered = vi.fn();
    const waiting = run(parts.sessions, "bob").then(answered);
    await vi.advanceTimersByTimeAsync(19_000);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    await waiting;
    await parts.sessions.close();
  });

  it("fails a call as busy after turnWaitMs while the previous caller keeps calling", async () => {
    const parts = createCrowded();
    await learn(parts);
    await vi.advanceTimersByTimeAsync(120_000);
    const first = await runFor(1_000, parts.sessions, "ann");
    const refused = expect(run(parts.sessions, "bob")).rejects.toMatchObject({
      message: 'upstream "up" serves one caller at a time, and another one is using it',
      data: { reason: "busy", retryAfterMs: 20_000 },
    });
    for (let passedMs = 0; passedMs < 60_000; passedMs += 10_000) {
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await run(parts.sessions, "ann")).toBe(first);
    }
    await refused;
    await parts.sessions.close();
  });

  it("opens one connection at a time from the start after a restart", async () => {
    const kept = new Map<string, JsonObject>();
    const facts: FactStore = { load: (key) => kept.get(key), save: (key, value) => void kept.set(key, value) };
    const before = createCrowded({ facts });
    await learn(before);
    await before.sessions.close();
    const after = createCrowded({ facts });
    await after.sessions.start();
    await runFor(1_000, after.sessions, "ann");
    expect(after.mostOpen()).toBe(1);
    expect(after.sessions.isSingleTenant).toBe(true);
    await after.sessions.close();
  });

  it("follows the configured sharing instead of the detected one", async () => {
    const parts = createCrowded({ sharing: "session" });
    await learn(parts);
    expect(parts.sessions.isSingleTenant).toBe(false);
    await parts.sessions.close();
  });
});

/** A server that takes 20 ms to open a connection, and breaks every connection off when another one begins meanwhile. */
function createSlowCrowded(more: Parameters<typeof createFakeSessions>[0] = {}) {
  const live = new Set<() => void>();
  let ends = 0;
  async function connect() {
    const displaced = [...live];
    if (displaced.length > 0) ends += 1;
    let isBroken = displaced.length > 0;
    for (const end of displaced) end();
    live.clear();
    const breakOff = () => {
      isBroken = true;
    };
    live.add(breakOff);
    await new Promise((resolve) => setTimeout(resolve, 20));
    live.delete(breakOff);
    if (isBroken) throw new TransportError("lost", "socket hang up");
    const connection = createFakeConnection();
    const end = () => connection.end("the stream ended");
    live.add(end);
    void connection.closed.then(() => live.delete(end));
    return connection;
  }
  return { ...createFakeSessions({ ...more, connect }), ends: () => ends };
}

describe("a call that has not started when its connection displaces another one", () => {
  const answered = async (running: Promise<string>) => {
    await vi.advanceTimersByTimeAsync(9_000);
    return running;
  };

  it("answers a displaced call after detecting that the server accepts one connection", async () => {
    const { sessions, ends } = createSlowCrowded();
    const starting = sessions.start();
    await vi.advanceTimersByTimeAsync(20);
    await starting;
    expect(await answered(run(sessions, "ann"))).toEqual(expect.any(String));
    expect([sessions.isSingleTenant, ends()]).toEqual([true, 2]);
    await sessions.close();
  });

  it("answers displaced calls one after the other if several callers begin at once", async () => {
    const { sessions, ends } = createSlowCrowded({ start: "demand" });
    const answered: string[] = [];
    const calls = ["ann", "bob", "cat"].map((caller) => run(sessions, caller).then((id) => answered.push(id)));
    for (const [index, ms] of [9_000, 20_000, 20_000].entries()) {
      await vi.advanceTimersByTimeAsync(ms);
      await vi.waitFor(() => expect(answered.length).toBeGreaterThan(index));
    }
    expect(new Set(answered).size).toBe(3);
    expect(sessions.isSingleTenant).toBe(true);
    const learnedAfter = ends();
    calls.push(run(sessions, "dan").then((id) => answered.push(id)));
    await vi.advanceTimersByTimeAsync(21_000);
    await vi.waitFor(() => expect(answered).toHaveLength(4));
    await Promise.all(calls);
    expect(ends()).toBe(learnedAfter);
    await sessions.close();
  });
});

describe("a server that is unreachable for a while", () => {
  it("does not mistake an unreachable server for one that accepts a single connection", async () => {
    let isUp = true;
    const connect = async () => {
      if (!isUp) throw new TransportError("unreachable", "ECONNREFUSED");
      return createFakeConnection();
    };
    const { sessions } = createFakeSessions({ kind: "http", connect });
    await sessions.start();
    await run(sessions, "ann");
    isUp = false;
    for (const caller of ["bob", "cat", "dan"]) {
      const refused = run(sessions, caller).catch((error) => error.data.reason);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await refused).toBe("unavailable");
    }
    expect(sessions.isSingleTenant).toBe(false);
    await sessions.close();
  });
});
