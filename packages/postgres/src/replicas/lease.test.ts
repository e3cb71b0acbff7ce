// Who owns a session while replicas stand still, are cut off or end, and PostgreSQL is away.
import { expect, test, vi } from "vitest";
import type { Statement } from "../connection/postgres-link.ts";
import { usePostgres } from "../testing/own-postgres.ts";
import { acquireSoon, holdable, join } from "../testing/replicas.ts";
import { beginLease, type RenewedLease, renewLease, revokeLease } from "./directory-statements.ts";
import type { PostgresDirectory } from "./postgres-directory.ts";

const own = usePostgres();
const leaseMs = 400;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("of replicas that acquire a session at the same time, one owns it and all agree", async () => {
  const replicas = await Promise.all([1, 2, 3].map(() => join(own)));
  for (const key of ["a", "b", "c"]) {
    const owners = await Promise.all(replicas.map(async (replica) => (await replica.acquire(key)).owner));
    expect(new Set(owners).size).toBe(1);
    expect(replicas.filter((replica) => replica.holds(key)).map(({ self }) => self)).toEqual([owners[0]]);
  }
});

test("a replica that PostgreSQL does not hear loses its sessions to another one, and stops to own them first", async () => {
  const held = holdable(await own.connect());
  const one = await join(own, { postgres: held.link, leaseMs });
  const two = await join(own, { leaseMs });
  const lost: string[] = [];
  one.onLost((key) => lost.push(key));
  for (const key of ["taken", "left"]) expect(await one.acquire(key)).toEqual({ owner: one.self });
  expect((await two.acquire("taken")).owner).toBe(one.self);
  held.hold();
  let acquired = await acquireSoon(two, "taken");
  while (acquired.owner !== two.self) {
    expect(one.holds("taken") && two.holds("taken")).toBe(false);
    acquired = await acquireSoon(two, "taken");
    await pause(5);
  }
  expect(acquired).toEqual({ owner: two.self, formerOwner: one.self });
  expect([one.holds("taken"), two.holds("taken")]).toEqual([false, true]);
  held.letGo();
  await vi.waitFor(() => expect(one.holds("left")).toBe(true), 10_000);
  expect(lost).toEqual(["taken"]);
  expect((await one.acquire("taken")).owner).toBe(two.self);
  expect((await two.acquire("left")).owner).toBe(one.self);
});

test("a renewal whose answer is late does not prove ownership from the moment of the answer", async () => {
  const postgres = await own.connect();
  let isSlow = false;
  const run: typeof postgres.run = async (statement, values) => {
    const rows = await postgres.run(statement, values);
    if (isSlow && statement.name === "lethe_lease_renew") await pause(2 * leaseMs);
    return rows as never;
  };
  const one = await join(own, { postgres: { ...holdable(postgres).link, run }, leaseMs });
  await one.acquire("a");
  isSlow = true;
  await vi.waitFor(() => expect(one.holds("a")).toBe(false), 10_000);
  // Renewals arrive in time, and their answers say so too late.
  const until = performance.now() + 3 * leaseMs;
  while (performance.now() < until) {
    expect(one.holds("a")).toBe(false);
    await pause(10);
  }
});

test("an acquisition that arrives after the lease of its replica has expired has no effect", async () => {
  const held = holdable(await own.connect());
  const one = await join(own, { postgres: held.link, leaseMs });
  const two = await join(own, { leaseMs });
  held.hold();
  const late = acquireSoon(one, "a");
  await vi.waitFor(() => expect(two.replicasLost).toBe(1), 10_000);
  expect((await acquireSoon(two, "a")).owner).toBe(two.self);
  held.letGo();
  expect((await late).owner).toBe(two.self);
  expect([one.holds("a"), two.holds("a")]).toEqual([false, true]);
});

test("a release that arrives late does not give up a session that was acquired again meanwhile", async () => {
  const postgres = await own.connect();
  const late: (() => unknown)[] = [];
  const run: typeof postgres.run = (statement: Statement, values) => {
    if (statement.name !== "lethe_session_release") return postgres.run(statement, values);
    return new Promise((resolve) => late.push(() => postgres.run(statement, values).then(resolve as never)));
  };
  const one = await join(own, { postgres: { ...holdable(postgres).link, run } });
  const two = await join(own);
  await one.acquire("a");
  one.release("a");
  expect(await one.acquire("a")).toEqual({ owner: one.self });
  for (const deliver of late) await deliver();
  expect((await two.acquire("a")).owner).toBe(one.self);
});

test("a replica that stops hands its sessions over at once, and names itself as the former owner of those it did not release", async () => {
  const [one, two] = [await join(own), await join(own)];
  for (const key of ["state", "clean"]) await one.acquire(key);
  one.release("clean");
  await one.leave(0);
  expect(await two.acquire("state")).toEqual({ owner: two.self, formerOwner: one.self });
  await vi.waitFor(async () => expect(await two.acquire("clean")).toEqual({ owner: two.self }));
  await expect(one.acquire("other")).rejects.toMatchObject({ name: "ReplicaError", reason: "unavailable" });
});

test("reports replicas that join, stop in order, and are lost", async () => {
  const changes: string[] = [];
  await join(own, { leaseMs, onReplica: ({ kind, replica }) => changes.push(`${kind} ${replica}`) });
  const two = await join(own, { leaseMs });
  await vi.waitFor(() => expect(changes).toEqual([`joined ${two.self}`]), 10_000);
  await two.leave(0);
  await vi.waitFor(() => expect(changes.at(-1)).toBe(`left ${two.self}`), 10_000);
  const held = holdable(await own.connect());
  const three = await join(own, { postgres: held.link, leaseMs });
  await vi.waitFor(() => expect(changes.at(-1)).toBe(`joined ${three.self}`), 10_000);
  held.hold();
  await vi.waitFor(() => expect(changes.at(-1)).toBe(`lost ${three.self}`), 10_000);
  held.letGo();
});

test("after a restart of PostgreSQL that takes longer than all leases, each session has its owner again", async () => {
  const [one, two] = [await join(own, { leaseMs: 1_000 }), await join(own, { leaseMs: 1_000 })];
  const keysOf = (name: string) => Array.from({ length: 20 }, (_, index) => `${name}${index}`);
  for (const key of keysOf("one")) await one.acquire(key);
  for (const key of keysOf("two")) await two.acquire(key);
  const lost: string[] = [];
  for (const replica of [one, two]) replica.onLost((key) => lost.push(key));
  await own.server().crash();
  await vi.waitFor(() => expect([one.holds("one0"), two.holds("two0")]).toEqual([false, false]), 10_000);
  await pause(1_000);
  await own.server().start();
  for (const key of keysOf("one")) expect((await acquireSoon(two, key)).owner).toBe(one.self);
  for (const key of keysOf("two")) expect((await acquireSoon(one, key)).owner).toBe(two.self);
  await vi.waitFor(() => expect([one.holds("one0"), two.holds("two0")]).toEqual([true, true]), 10_000);
  expect(lost).toEqual([]);
});

test("a replica gives up a session of which the database lost the record", async () => {
  const postgres = await own.connect();
  const one = await join(own, { postgres });
  const lost: string[] = [];
  one.onLost((key) => lost.push(key));
  await one.acquire("a");
  await one.acquire("b");
  const text = "DELETE FROM lethe.owned_sessions WHERE prefix = $1 AND key = $2";
  const { createHash } = await import("node:crypto");
  const digest = createHash("sha256").update("a").digest("base64url");
  await postgres.run({ name: "test_forget", text }, [postgres.prefix, digest]);
  await own.server().crash();
  await own.server().start();
  await vi.waitFor(() => expect(lost).toEqual(["a"]), 10_000);
  await vi.waitFor(() => expect(one.holds("b")).toBe(true), 10_000);
});

test.each([
  ["owned_sessions", "lethe.owned_sessions"],
  ["replica_leases", "lethe.replica_leases"],
  ["both tables", "lethe.owned_sessions, lethe.replica_leases"],
])("a session has one owner at a time after an operator has emptied %s", async (_, tables) => {
  const postgres = await own.connect();
  const replicas = [await join(own, { postgres }), await join(own)];
  const [one, two] = replicas as [PostgresDirectory, PostgresDirectory];
  await one.acquire("a");
  await postgres.run({ name: `test_empty ${tables}`, text: `TRUNCATE ${tables}` }, []);
  // One that joins sees that the leases of the others lack their markers.
  if (tables === "lethe.owned_sessions") replicas.push(await join(own));
  const holding = () => replicas.filter((replica) => replica.holds("a"));
  const { owner } = await watched(Promise.race(replicas.slice(1).map((replica) => acquireSoon(replica, "a"))), () =>
    expect(holding().length).toBeLessThan(2),
  );
  expect((await acquireSoon(two, "a")).owner).toBe(owner);
  await vi.waitFor(() => expect(holding().map(({ self }) => self)).toEqual([owner]), 10_000);
});

/** Calls `look` every ms until the promise has settled. */
async function watched<T>(work: Promise<T>, look: () => void): Promise<T> {
  let hasSettled = false;
  const settled = (): void => {
    hasSettled = true;
  };
  work.then(settled, settled);
  while (!hasSettled) {
    look();
    await pause(1);
  }
  look();
  return work;
}

test("a lease whose renewal is being committed is not ended, although others still see that it has expired", async () => {
  const [postgres, other] = [await own.connect(), await own.connect()];
  await postgres.run(beginLease, [postgres.prefix, "a.1", "a", "", 50]);
  let ending: Promise<unknown> = Promise.resolve();
  await postgres.transact(async (run) => {
    expect(await run(renewLease, [postgres.prefix, "a.1", 60_000])).toHaveLength(1);
    await pause(60);
    ending = other.run(revokeLease, [postgres.prefix, "a.1"]);
    await vi.waitFor(async () => {
      const text = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%replica_leases%'";
      expect(await postgres.run({ name: "test_waiting", text }, [])).toHaveLength(1);
    }, 10_000);
  });
  await ending;
  expect(await postgres.run(renewLease, [postgres.prefix, "a.1", 60_000])).toHaveLength(1);
});

test("connections with other time zones name the same server", async () => {
  const postgres = await own.connect();
  await postgres.run(beginLease, [postgres.prefix, "a.1", "a", "", 60_000]);
  const renew = [postgres.prefix, "a.1", 60_000] as const;
  const [{ server } = { server: "" }] = await postgres.run<RenewedLease>(renewLease, renew);
  await postgres.transact(async (run) => {
    await run({ name: "test_time_zone", text: "SELECT set_config('timezone', 'Asia/Tokyo', true)" }, []);
    expect(await run<RenewedLease>(renewLease, renew)).toEqual([{ server, hasMarker: true }]);
  });
});

test("a lease that another replica has ended cannot be renewed", async () => {
  const postgres = await own.connect();
  await postgres.run(beginLease, [postgres.prefix, "a.1", "a", "", 1]);
  await pause(5);
  await postgres.run(revokeLease, [postgres.prefix, "a.1"]);
  expect(await postgres.run(renewLease, [postgres.prefix, "a.1", 60_000])).toEqual([]);
});

test("replicas read each other's notes until these expire, and none of a replica that has stopped", async () => {
  const [one, two, three] = [await join(own), await join(own), await join(own)];
  const options = { ttlMs: 60_000, max: 10 };
  await one.placement.exchange("old", options);
  await one.placement.exchange("first", options);
  await two.placement.exchange("second", { ...options, ttlMs: 1 });
  await pause(5);
  expect(await three.placement.exchange("third", options)).toEqual(new Map([[one.self, "first"]]));
  expect(await two.placement.exchange("second", options)).toEqual(
    new Map([
      [one.self, "first"],
      [three.self, "third"],
    ]),
  );
  expect((await two.placement.exchange("second", { ...options, max: 1 })).size).toBe(1);
  await one.leave(0);
  expect(await two.placement.exchange("second", options)).toEqual(new Map([[three.self, "third"]]));
});

test("a replica that stops releases thousands of sessions at once, and the next owners take none for lost", async () => {
  const one = await join(own, { postgres: await own.connect({ maxConnections: 2 }) });
  const two = await join(own);
  const keys = Array.from({ length: 2_500 }, (_, index) => `session ${index}`);
  for (let start = 0; start < keys.length; start += 500) {
    await Promise.all(keys.slice(start, start + 500).map((key) => one.acquire(key)));
  }
  for (const key of keys) one.release(key);
  await one.leave(0);
  for (const key of ["session 0", "session 1250", "session 2499"]) {
    expect(await two.acquire(key)).toEqual({ owner: two.self });
  }
});
