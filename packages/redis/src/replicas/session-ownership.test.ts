// When a replica counts itself the owner of a session, and what it must ask Redis before.
import { type Clock, systemClock } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { createFakeExchange } from "../../../gateway/src/testing/fakes.ts";
import type { RedisLink } from "../connection/redis-link.ts";
import { callOf, disconnect, ownerOf, type TestReplicas, useReplicas } from "../testing/replicas.ts";
import type { Evidence } from "./evidence.ts";

const startReplicas = useReplicas();
/** Short, so that tests do not wait long after a connect. */
const times = { leaseMs: 5_000, heartbeatMs: 50, validMs: 400 };

/** The clock of a process that can stand still. */
function createStallingClock(): Clock & { stall(ms: number): void } {
  let stalledMs = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + stalledMs,
    stall(ms) {
      stalledMs += ms;
    },
  };
}

/** Evidence that a test sets. */
function createEvidence() {
  const given = { permit: Number.NEGATIVE_INFINITY, promise: Number.NEGATIVE_INFINITY };
  const observed: string[][] = [];
  const introduced: string[][] = [];
  const evidence: Evidence = {
    confirm: (until) => {
      given.permit = Math.max(given.permit, until);
    },
    permitUntil: () => given.permit,
    promisedUntil: () => given.promise,
    observe: ({ members }) => void observed.push(members.map(({ replica, address }) => `${replica} ${address}`)),
    introduce: async (recorded) => void introduced.push(recorded.map(({ replica }) => replica)),
  };
  return { evidence, given, observed, introduced };
}

/** A link whose scripts run `after` before their replies are read. */
async function createLink({ connect }: TestReplicas, after: () => void | Promise<void>): Promise<RedisLink> {
  const connection = await connect();
  const { client } = connection;
  const evalsha = client.evalsha.bind(client) as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(client, "evalsha").mockImplementation((async (...args: unknown[]) => {
    try {
      return await evalsha(...args);
    } finally {
      await after();
    }
  }) as typeof client.evalsha);
  return connection;
}

test("a replica that stood still asks Redis before it serves its sessions, and continues with them", async () => {
  const { join } = await startReplicas();
  const clock = createStallingClock();
  const one = await join({ ...times, clock });
  await one.acquire("a");
  await vi.waitFor(() => expect(one.holds("a")).toBe(true), 5_000);
  clock.stall(401);
  expect(one.holds("a")).toBe(false);
  expect(await one.acquire("a")).toEqual({ owner: one.self });
  await vi.waitFor(() => expect(one.holds("a")).toBe(true), 5_000);
});

test("a replica that stood still while it asked Redis asks again", async () => {
  const replicas = await startReplicas();
  const clock = createStallingClock();
  let stalls = 0;
  const connection = await createLink(replicas, () => {
    if (stalls > 0) clock.stall(500);
    stalls -= 1;
  });
  const one = await replicas.join({ ...times, clock, connection });
  await one.acquire("a");
  stalls = 3;
  expect(await ownerOf(one, "a")).toBe(one.self);
  expect(stalls).toBeLessThanOrEqual(0);
  stalls = 1_000;
  await expect(one.acquire("a")).rejects.toMatchObject({
    reason: "unavailable",
    message: expect.stringContaining("Redis answers too slowly"),
  });
});

test("a request for a replica without heartbeats is refused as not started, until its lease expires", async () => {
  const { join } = await startReplicas();
  let isFrozen = false;
  const clock: Clock = { ...systemClock, after: (ms, act) => systemClock.after(ms, () => isFrozen || act()) };
  const owner = await join({ leaseMs: 2_000, heartbeatMs: 50, clock });
  const other = await join({ leaseMs: 2_000, heartbeatMs: 50 });
  await owner.acquire("a");
  expect(await ownerOf(other, "a")).toBe(owner.self);
  isFrozen = true;
  const refusal = await vi.waitUntil(
    () =>
      other.acquire("a").then(
        () => undefined,
        (error: Error) => error,
      ),
    5_000,
  );
  expect(refusal).toMatchObject({ reason: "unavailable", message: expect.stringContaining("sending heartbeats") });
  const acquired = () => other.acquire("a").catch(() => undefined);
  expect(await vi.waitUntil(acquired, 5_000)).toEqual({ owner: other.self, formerOwner: owner.self });
});

test("a replica asks Redis for the owner of a session when another one forwarded the request to it", async () => {
  const { join } = await startReplicas();
  const [one, two] = [await join(times), await join(times)];
  await two.acquire("a");
  expect(await ownerOf(one, "a")).toBe(two.self);
  two.release("a");
  await vi.waitFor(
    async () => expect(await one.acquire("a", { isForwarded: true })).toEqual({ owner: one.self }),
    5_000,
  );
});

test("a session whose owner stopped has a former owner, and a released session has none", async () => {
  const { join } = await startReplicas();
  const [leaving, other] = [await join(times), await join(times)];
  for (const key of ["left", "released"]) await leaving.acquire(key);
  leaving.release("released");
  await leaving.leave(0);
  expect(await other.acquire("left")).toEqual({ owner: other.self, formerOwner: leaving.self });
  expect(await other.acquire("left")).toEqual({ owner: other.self });
  await vi.waitFor(async () => expect(await other.acquire("released")).toEqual({ owner: other.self }), 5_000);
});

test("a session keeps its former owner while this replica fails to acquire it", async () => {
  const replicas = await startReplicas();
  const clock = createStallingClock();
  let isStalling = false;
  const connection = await createLink(replicas, () => {
    if (isStalling) clock.stall(500);
  });
  const other = await replicas.join({ ...times, clock, connection });
  const leaving = await replicas.join(times);
  await leaving.acquire("left");
  await leaving.leave(0);
  isStalling = true;
  await expect(other.acquire("left")).rejects.toMatchObject({ reason: "unavailable" });
  isStalling = false;
  const acquired = () => other.acquire("left").catch(() => undefined);
  expect(await vi.waitUntil(acquired, 5_000)).toEqual({ owner: other.self, formerOwner: leaving.self });
  expect(await other.acquire("left")).toEqual({ owner: other.self });
});

test("Redis forgets the former owner of an unused session", async () => {
  const { join, connect } = await startReplicas();
  const leaving = await join({ leaseMs: 500, rememberMs: 2_000 });
  const other = await join(times);
  await leaving.acquire("a");
  const { client, nameOf } = await connect();
  expect(await client.keys(nameOf("claim:*"))).toHaveLength(1);
  await leaving.leave(0);
  await vi.waitFor(async () => expect(await client.keys(nameOf("claim:*"))).toEqual([]), 10_000);
  expect(await other.acquire("a")).toEqual({ owner: other.self });
});

test("a session that another replica had meanwhile is given up, although that replica is gone, too", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const [one, two] = [await join({ ...times, leaseMs: 500, connection }), await join({ ...times, leaseMs: 500 })];
  await one.acquire("a");
  const lost: string[] = [];
  one.onLost((key) => lost.push(key));
  await disconnect(connection);
  await vi.waitFor(async () => expect(await ownerOf(two, "a")).toBe(two.self), 10_000);
  await two.leave(0);
  await connection.client.connect();
  await vi.waitFor(async () => expect((await one.acquire("a")).owner).toBe(one.self), 10_000);
  expect(lost).toEqual(["a"]);
});

test("a stopping replica takes no session, and finds the owners of those that others took", async () => {
  const { join } = await startReplicas();
  const [leaving, other] = [await join(times), await join(times)];
  await other.acquire("theirs");
  await leaving.acquire("mine");
  const left = leaving.leave(0);
  for (const key of ["mine", "new"]) {
    await expect(leaving.acquire(key)).rejects.toMatchObject({
      reason: "unavailable",
      message: expect.stringContaining("being stopped"),
    });
  }
  expect(await ownerOf(leaving, "theirs")).toBe(other.self);
  await left;
  expect(await ownerOf(other, "mine")).toBe(other.self);
  expect(await ownerOf(leaving, "mine")).toBe(other.self);
});

test("a replica that promised to take no session keeps its own and waits with others", async () => {
  const { join } = await startReplicas();
  const { evidence, given } = createEvidence();
  const one = await join({ ...times, evidence });
  await one.acquire("mine");
  given.promise = Number.POSITIVE_INFINITY;
  expect(await ownerOf(one, "mine")).toBe(one.self);
  await expect(one.acquire("free")).rejects.toMatchObject({ reason: "unavailable" });
  const other = await join(times);
  expect(await ownerOf(other, "free")).toBe(other.self);
  expect(await ownerOf(one, "free")).toBe(other.self);
  given.promise = performance.now() + 100;
  expect(await ownerOf(one, "another")).toBe(one.self);
  expect(performance.now()).toBeGreaterThanOrEqual(given.promise);
});

test("a session that was taken before a promise is used after it", async () => {
  const replicas = await startReplicas();
  const { evidence, given } = createEvidence();
  let isPromising = false;
  const connection = await createLink(replicas, () => {
    if (isPromising) given.promise = performance.now() + 200;
    isPromising = false;
  });
  const one = await replicas.join({ ...times, evidence, connection });
  await one.acquire("warm");
  isPromising = true;
  expect(await ownerOf(one, "a")).toBe(one.self);
  expect(performance.now()).toBeGreaterThanOrEqual(given.promise);
  expect(given.promise).toBeGreaterThan(0);
});

test("evidence of other replicas extends ownership while Redis is away", async () => {
  const { join, redis } = await startReplicas();
  const { evidence, given } = createEvidence();
  const one = await join({ ...times, evidence });
  await one.acquire("a");
  await redis.stop();
  await vi.waitFor(() => expect(one.holds("a")).toBe(false), 5_000);
  given.permit = performance.now() + 60_000;
  expect(one.holds("a")).toBe(true);
  expect(one.isRenewed).toBe(false);
});

test("a replica introduces itself when it joins and after it lost its lease, and observes the others", async () => {
  const { join, connect } = await startReplicas();
  const first = await join({ ...times, address: "10.0.0.1:80" });
  const { evidence, introduced, observed } = createEvidence();
  const one = await join({ ...times, evidence });
  expect(introduced).toEqual([[first.self]]);
  const { client, nameOf } = await connect();
  await client.del(nameOf(`lease:${one.self}`));
  await vi.waitFor(() => expect(introduced).toEqual([[first.self], [first.self]]), 5_000);
  expect(observed.at(-1)).toEqual([`${first.self} 10.0.0.1:80`]);
});

test("a replica introduces itself after a renewal whose reply was lost, and takes no session before", async () => {
  const { join, connect } = await startReplicas();
  const first = await join(times);
  const connection = await connect();
  const { client, nameOf } = connection;
  let renewals: "pass" | "stay away" | "lose the reply" = "pass";
  const evalsha = client.evalsha.bind(client) as (...args: unknown[]) => Promise<unknown>;
  vi.spyOn(client, "evalsha").mockImplementation((async (...args: unknown[]) => {
    const isRenewal = String(args[3]).endsWith("anybody");
    if (isRenewal && renewals === "stay away") throw new Error("cut off");
    const reply = await evalsha(...args);
    if (!isRenewal || renewals === "pass") return reply;
    renewals = "pass";
    throw new Error("the reply is lost");
  }) as typeof client.evalsha);
  const { evidence, introduced } = createEvidence();
  const one = await join({ ...times, connection, evidence });
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  evidence.introduce = async (recorded) => {
    introduced.push(recorded.map(({ replica }) => replica));
    await answered;
  };
  renewals = "stay away";
  await client.del(nameOf(`lease:${one.self}`));
  renewals = "lose the reply";
  await vi.waitFor(() => expect(introduced).toEqual([[first.self], [first.self]]), 5_000);
  await expect(one.acquire("a")).rejects.toMatchObject({ reason: "unavailable" });
  answer();
  await vi.waitFor(async () => expect(await ownerOf(one, "a")).toBe(one.self), 5_000);
});

test("a replica introduces itself to those that it knew before Redis lost its data", async () => {
  const { join, connect, restart } = await startReplicas();
  const away = await connect();
  const first = await join({ ...times, connection: away });
  const { evidence, introduced } = createEvidence();
  await join({ ...times, evidence });
  await disconnect(away);
  await restart();
  await vi.waitFor(() => expect(introduced).toEqual([[first.self], [first.self]]), 10_000);
});

test("a request waits for a Redis that stands still only as long as it may, and Redis names a former owner although the request has ended", async () => {
  const { join, redis } = await startReplicas();
  const leaving = await join(times);
  await leaving.acquire("left");
  const other = await join({ ...times, lookupMs: 300 });
  await leaving.leave(0);
  redis.pause();
  const refused = { reason: "unavailable", message: expect.stringContaining("Redis does not answer") };
  await expect(other.acquire("left")).rejects.toMatchObject(refused);
  const again = performance.now();
  await expect(other.acquire("left")).rejects.toMatchObject(refused);
  await expect(other.reach("another", "/mcp")).rejects.toMatchObject(refused);
  expect(performance.now() - again).toBeLessThan(250);
  redis.goOn();
  const acquired = () => other.acquire("left").catch(() => undefined);
  expect(await vi.waitUntil(acquired, 10_000)).toEqual({ owner: other.self, formerOwner: leaving.self });
});

test("a replica of an earlier build is observed as one that cannot be asked", async () => {
  const { join, connect } = await startReplicas();
  const { evidence, observed } = createEvidence();
  await join({ ...times, evidence });
  expect(observed.at(-1)).toEqual([]);
  const { client, nameOf } = await connect();
  // What it writes with each renewal.
  await client.set(nameOf("anybody"), "1", "PX", 10_000);
  await vi.waitFor(() => expect(observed.at(-1)).toEqual(["an earlier build undefined"]), 5_000);
});

test("of all requests for the sessions of a killed replica, one at a time asks Redis about it", async () => {
  const { connect, join } = await startReplicas();
  const connection = await connect();
  const patient = { ...times, leaseMs: 60_000, heartbeatMs: 200 };
  const killed = await join({ ...patient, connection });
  const other = await join(patient);
  const keys = Array.from({ length: 20 }, (_, index) => `session ${index}`);
  for (const key of keys) await killed.acquire(key);
  for (const key of keys) expect(await ownerOf(other, key)).toBe(killed.self);
  connection.close();
  const watch = await connect();
  await vi.waitFor(async () => expect(await watch.subscribersOf([`replica:${killed.self}`])).toEqual([0]), 10_000);
  const dispatch = await other.reach(killed.self, "/mcp");
  await expect(dispatch?.(callOf("greet"), createFakeExchange())).rejects.toMatchObject({ reason: "unavailable" });
  const asked = await Promise.allSettled(keys.map((key) => other.acquire(key)));
  const waiting = asked.filter((one) => one.status === "rejected" && one.reason.reason === "unavailable");
  expect(waiting.length).toBeGreaterThanOrEqual(keys.length - 1);
});
