import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { SessionLimits } from "../../config/upstream-config.ts";
import { createFakeConnection, type FakeConnection } from "../../testing/fakes.ts";
import { Upstream } from "../connection/upstream.ts";
import { ownKey } from "./affinity.ts";
import { fillLimits } from "./pool-limits.ts";
import type { Session } from "./session.ts";
import { SessionPool } from "./session-pool.ts";
import { SingleTenantDetector } from "./single-tenant-detector.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function create(limits: SessionLimits = {}, keepsOwn = true) {
  const opened: FakeConnection[] = [];
  const ended: Session[] = [];
  const upstream = new Upstream({
    name: "up",
    async connect() {
      const connection = createFakeConnection();
      opened.push(connection);
      return connection;
    },
  });
  const pool = new SessionPool({
    upstream,
    limits: fillLimits(limits),
    keepsOwn,
    crowding: new SingleTenantDetector({
      config: { kind: "stdio", name: "up", command: "x", args: [], env: {} },
    }),
    onEnd: (session) => ended.push(session),
  });
  const open = async (callerId: string, key = `caller ${callerId}`) => {
    const session = await pool.acquire({ value: key, callerId });
    await session.opened;
    return session;
  };
  return { pool, opened, ended, open };
}

describe("the session pool", () => {
  it("opens one session per key, regardless of which request comes first", async () => {
    const { pool, opened, open } = create();
    const [one, two] = await Promise.all([open("ann"), open("ann")]);
    expect(one).toBe(two);
    expect(opened).toHaveLength(1);
    expect([pool.find("caller ann"), pool.byId(one.id)]).toEqual([one, one]);
  });

  it("evicts the longest idle session of a caller that has too many", async () => {
    const { open, opened, ended } = create({ maxPerCaller: 2 });
    await open("ann", "a1");
    vi.advanceTimersByTime(10);
    await open("ann", "a2");
    await open("ann", "a3");
    expect(ended.map(({ key }) => key.value)).toEqual(["a1"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false, false]);
  });

  it("evicts no recently used session of another caller, and rejects the waiting request in time", async () => {
    const { pool, open } = create({ max: 1, waitMs: 500 });
    const ann = await open("ann");
    const waiting = open("bob");
    waiting.catch(() => {});
    await vi.advanceTimersByTimeAsync(500);
    await expect(waiting).rejects.toMatchObject({ data: { reason: "busy", upstream: "up", retryAfterMs: 500 } });
    const again = open("bob");
    await pool.end(ann);
    expect((await again).key.callerId).toBe("bob");
  });

  it("evicts an idle session of another caller after a while, but none in use", async () => {
    const { open, ended } = create({ max: 1, waitMs: 200_000, idleMs: 400_000 });
    const ann = await open("ann");
    ann.enter();
    const bob = open("bob");
    await vi.advanceTimersByTimeAsync(100_000);
    expect(ended).toEqual([]);
    ann.leave();
    await vi.advanceTimersByTimeAsync(90_000);
    expect((await bob).key.callerId).toBe("bob");
    expect(ended).toEqual([ann]);
  });

  it("always admits the gateway's own session, never evicts it and does not count it", async () => {
    const { pool, open, ended } = create({ max: 1, idleMs: 400_000 });
    const own = await pool.acquire(ownKey);
    await vi.advanceTimersByTimeAsync(100_000);
    await open("ann");
    await vi.advanceTimersByTimeAsync(100_000);
    await open("bob");
    expect(ended.map(({ key }) => key.callerId)).toEqual(["ann"]);
    void pool.end(own);
    expect(pool.acquire(ownKey)).toMatchObject({ key: ownKey });
  });

  it("limits anonymous callers only by the total number of sessions", async () => {
    const { pool, ended } = create({ maxPerCaller: 1, max: 2 });
    await pool.acquire({ value: "one", callerId: undefined });
    await pool.acquire({ value: "two", callerId: undefined });
    expect([pool.size, ended]).toEqual([2, []]);
  });

  it("ends a single-use session with its call", async () => {
    const { pool, ended } = create();
    const session = await pool.acquire({ value: "call", callerId: "ann", isSingleUse: true });
    session.enter();
    pool.tidy(session);
    expect(ended).toEqual([]);
    session.leave();
    pool.tidy(session);
    expect(ended).toEqual([session]);
  });

  it("opens no session after the pool is closed", async () => {
    const { pool, opened, open } = create();
    pool.close();
    await expect(open("ann")).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(opened).toEqual([]);
  });

  it("closes idle sessions, but not the gateway's own", async () => {
    const { pool, open, ended } = create({ idleMs: 1_000 });
    await pool.acquire(ownKey);
    const ann = await open("ann");
    const bob = await open("bob");
    bob.enter();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended).toEqual([ann]);
    expect(pool.size).toBe(2);
  });

  it("closes the gateway's own session if it is started on demand", async () => {
    const { pool, ended } = create({ idleMs: 1_000 }, false);
    await pool.acquire(ownKey);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended).toHaveLength(1);
  });

  it("retires a session after its lifetime: running calls continue and new requests get another session", async () => {
    const { pool, open, opened } = create({ lifetimeMs: 1_000 });
    const old = await open("ann");
    old.enter();
    await vi.advanceTimersByTimeAsync(1_500);
    const young = await open("ann");
    expect(young).not.toBe(old);
    expect(pool.byId(old.id)).toBe(old);
    old.leave();
    pool.tidy(old);
    await vi.advanceTimersByTimeAsync(0);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it("forgets a session whose upstream ended", async () => {
    const { pool, open, opened, ended } = create();
    const session = await open("ann");
    opened[0]?.end("killed");
    await vi.advanceTimersByTimeAsync(0);
    expect([pool.size, ended, pool.byId(session.id)]).toEqual([0, [session], undefined]);
  });

  it("ends a hundred expired sessions at a time, and the others soon after", async () => {
    const { open, ended } = create({ max: 250, idleMs: 60_000 });
    for (let caller = 0; caller < 250; caller += 1) await open(`c${caller}`);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended).toHaveLength(100);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended).toHaveLength(250);
  });

  it.each(["retire", "drain"] as const)("ends 50 sessions in a turn of the event loop after %s", async (how) => {
    const { pool, open, ended } = create({ max: 200 });
    const sessions: Session[] = [];
    for (let caller = 0; caller < 120; caller += 1) sessions.push(await open(`c${caller}`));
    if (how === "retire") pool.retire(() => true);
    else pool.drain();
    expect(sessions.every(({ isRetired }) => isRetired)).toBe(true);
    expect(ended).toHaveLength(50);
    // A request is served in between.
    expect(await open("later")).not.toBe(sessions[0]);
    await vi.advanceTimersToNextTimerAsync();
    expect(ended).toHaveLength(100);
    await vi.advanceTimersToNextTimerAsync();
    expect(ended).toEqual(sessions);
  });

  it("ends no session that is in use again when its turn comes", async () => {
    const { pool, open, ended } = create({ max: 200 });
    const sessions: Session[] = [];
    for (let caller = 0; caller < 60; caller += 1) sessions.push(await open(`c${caller}`));
    pool.retire(() => true);
    const last = sessions.at(-1) as Session;
    last.enter();
    await vi.advanceTimersToNextTimerAsync();
    expect(ended).toHaveLength(59);
    last.leave();
    pool.tidy(last);
    expect(ended).toEqual(sessions);
  });

  it("opens a session at the same cost, regardless of how many are open", async () => {
    const { pool } = create({ max: 1_500 });
    const seen = countKeys();
    const openAll = async (from: number, to: number) => {
      const before = seen.reads;
      for (let caller = from; caller < to; caller += 1) await (await pool.acquire(seen.keyOf(`c${caller}`))).opened;
      return seen.reads - before;
    };
    const first = await openAll(0, 500);
    await openAll(500, 1_000);
    expect(await openAll(1_000, 1_500)).toBe(first);
  });

  it("looks at one session for each request that waits for room in a full pool, until one is old enough", async () => {
    const { pool, open, ended } = create({ max: 500, idleMs: 200_000, waitMs: 100_000 });
    const seen = countKeys();
    for (let caller = 0; caller < 500; caller += 1) await (await pool.acquire(seen.keyOf(`c${caller}`))).opened;
    const before = seen.reads;
    const waiting = Array.from({ length: 40 }, (_, index) => open(`waiting ${index}`));
    await vi.advanceTimersByTimeAsync(25_000);
    expect(seen.reads - before).toBe(40);
    await vi.advanceTimersByTimeAsync(65_000);
    await Promise.all(waiting);
    expect(ended).toHaveLength(40);
  });

  it("replaces the longest idle session of a full pool at the same cost, regardless of how many are open", async () => {
    const replaceTen = async (max: number) => {
      const { pool, ended } = create({ max, idleMs: 400_000 });
      const seen = countKeys();
      const open = async (caller: string) => (await pool.acquire(seen.keyOf(caller))).opened;
      for (let caller = 0; caller < max; caller += 1) await open(`c${caller}`);
      pool.find("caller c0")?.enter();
      pool.find("caller c0")?.leave();
      await vi.advanceTimersByTimeAsync(60_000);
      const before = seen.reads;
      for (let caller = 0; caller < 10; caller += 1) await open(`later ${caller}`);
      expect(ended.map(({ key }) => key.callerId)).toEqual(Array.from({ length: 10 }, (_, index) => `c${index + 1}`));
      return seen.reads - before;
    };
    expect(await replaceTen(400)).toBe(await replaceTen(20));
  });

  it("looks for expired sessions at those that are old enough, and not at the others", async () => {
    const { pool, ended } = create({ max: 500, idleMs: 200_000, lifetimeMs: 300_000 });
    const looked = new Set<Session>();
    const openSome = async (from: number, to: number) => {
      for (let caller = from; caller < to; caller += 1) {
        const session = await pool.acquire({ value: `c${caller}`, callerId: `c${caller}` });
        const { startedAt } = session;
        Object.defineProperty(session, "startedAt", { get: () => looked.add(session) && startedAt });
        Object.defineProperty(session, "idleMs", { get: () => looked.add(session) && Date.now() - startedAt });
      }
    };
    await openSome(0, 5);
    await vi.advanceTimersByTimeAsync(150_000);
    await openSome(5, 500);
    looked.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ended).toHaveLength(5);
    expect(looked.size).toBeLessThan(10);
  });
});

/** Keys of sessions that count how often they are read. */
function countKeys() {
  const seen = {
    reads: 0,
    keyOf: (callerId: string) => ({
      ...{ value: `caller ${callerId}`, callerId },
      get isOwn() {
        seen.reads += 1;
        return false;
      },
    }),
  };
  return seen;
}
