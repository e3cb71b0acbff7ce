// Which replica keeps what, when replicas and Redis come and go.
import { expect, test, vi } from "vitest";
import { useFleets } from "../testing/fleet.ts";

const fleet = useFleets();
const keys = Array.from({ length: 1_200 }, (_, index) => `up caller ${index}`);

test("a place has one keeper, whoever asks and however many at a time", async () => {
  const { join } = await fleet();
  const replicas = await Promise.all([1, 2, 3].map(() => join({ leaseMs: 10_000 })));
  const claims = keys.flatMap((key) => replicas.map(async (replica) => [key, await replica.acquire(key)] as const));
  const keepers = new Map<string, Set<string>>();
  for (const [key, keeper] of await Promise.all(claims)) {
    keepers.set(key, (keepers.get(key) ?? new Set()).add(keeper));
  }
  expect([...keepers.values()].filter(({ size }) => size !== 1)).toEqual([]);
  expect(replicas.reduce((sum, { leases }) => sum + leases, 0)).toBe(keys.length);
  for (const replica of replicas) {
    for (const key of keys) expect(replica.holds(key)).toBe(keepers.get(key)?.has(replica.self));
  }
});

test("what is released is free for others, and nobody releases what another keeps", async () => {
  const { join } = await fleet();
  const [one, two] = [await join({ leaseMs: 10_000 }), await join({ leaseMs: 10_000 })];
  expect(await one.acquire("a")).toBe(one.self);
  two.release("a");
  expect(await two.acquire("a")).toBe(one.self);
  one.release("a");
  expect(one.holds("a")).toBe(false);
  const three = await join();
  expect(await three.acquire("a")).toBe(three.self);
});

test("names of callers do not stand in Redis", async () => {
  const { join, connect } = await fleet();
  await (await join()).acquire("up caller ann");
  const { client } = await connect();
  expect((await client.keys("*")).join()).not.toContain("ann");
});

test("what a replica keeps that was killed is free after its lease, and at once when it leaves", async () => {
  const { join, connect } = await fleet();
  const dying = await connect();
  const killed = await join({ connection: dying, leaseMs: 500 });
  const [leaving, other] = [await join(), await join()];
  await killed.acquire("a");
  await leaving.acquire("b");
  dying.close();
  await leaving.leave(0);
  expect(await other.acquire("b")).toBe(other.self);
  expect(await other.acquire("a")).toBe(killed.self);
  await vi.waitFor(async () => expect(await other.acquire("a")).toBe(other.self), 5_000);
  expect(killed.holds("a")).toBe(false);
  expect(await other.reach(killed.self, "/mcp")).toBeUndefined();
  await expect(leaving.acquire("c")).rejects.toMatchObject({ reason: "unavailable" });
});

test("claims of a replica that lives do not lapse", async () => {
  const { join, connect } = await fleet();
  const one = await join({ leaseMs: 60 });
  await one.acquire("a");
  const { client } = await connect();
  const [name] = await client.keys("lethe:claim:*");
  const shortest = await client.pttl(name as string);
  // Twice as long as a claim lives without being said again.
  const until = performance.now() + 2 * shortest;
  await vi.waitFor(async () => {
    expect(await client.exists(name as string)).toBe(1);
    if (performance.now() < until) throw new Error("not long enough");
  }, 5_000);
});

test("whatever else stands where the claims are, it is nobody's, and the lease goes on", async () => {
  const { join, connect } = await fleet();
  const [one, two] = [await join({ leaseMs: 300 }), await join()];
  for (const key of ["a", "b", "c"]) await one.acquire(key);
  const { client } = await connect();
  for (const name of await client.keys("lethe:claim:*")) {
    await client.del(name);
    await client.rpush(name, "x");
  }
  expect(await two.acquire("a")).toBe(two.self);
  await vi.waitFor(async () => {
    const names = await client.keys("lethe:claim:*");
    expect(await Promise.all(names.map((name) => client.type(name)))).toEqual(["string", "string", "string"]);
  }, 5_000);
  expect(["a", "b", "c"].map((key) => one.holds?.(key))).toEqual([false, true, true]);
});

test("while Redis is away nothing new is claimed, and what is kept is kept no longer than the lease", async () => {
  const { join, redis } = await fleet();
  const one = await join({ leaseMs: 1_000 });
  await one.acquire("a");
  await redis.stop();
  expect(one.holds("a")).toBe(true);
  await expect(one.acquire("b")).rejects.toMatchObject({ name: "ReplicaError", reason: "unavailable" });
  await expect(one.reach("other", "/mcp")).rejects.toMatchObject({ reason: "unavailable" });
  await vi.waitFor(() => expect(one.holds("a")).toBe(false), 5_000);
});

test("a Redis that refuses what replicas write is told of, once, until it goes well again", async () => {
  const { join, connect } = await fleet();
  const problems: string[] = [];
  const one = await join({ leaseMs: 300, onProblem: (problem) => problems.push(problem) });
  await one.acquire("a");
  const { client } = await connect();
  await client.config("SET", "maxmemory", "1");
  await vi.waitFor(() => expect(one.holds?.("a")).toBe(false), 5_000);
  await expect(one.acquire("a")).rejects.toMatchObject({ message: expect.stringContaining("Redis refuses to say") });
  expect(problems).toEqual([expect.stringMatching(/^Redis refuses what this replica has to write there: OOM /)]);
  await client.config("SET", "maxmemory", "0");
  await vi.waitFor(() => expect(one.holds?.("a")).toBe(true), 5_000);
});

test("after Redis was away and has forgotten everything each replica keeps what it kept", async () => {
  const { join, connect, restart } = await fleet();
  const connection = await connect();
  const [one, two] = [await join({ connection, leaseMs: 3_000 }), await join({ leaseMs: 3_000 })];
  for (const key of keys) await one.acquire(key);
  // It comes back later than the other.
  connection.client.disconnect(false);
  await restart();
  await vi.waitFor(async () => {
    const told = await two.acquire("up caller new").catch((error: unknown) => error);
    expect(told).toMatchObject({ reason: "unavailable", message: expect.stringContaining("after an outage") });
  }, 5_000);
  const told = await two.acquire(keys[0] as string).catch((error: unknown) => error);
  expect(told).toMatchObject({ reason: "unavailable", retryAfterMs: expect.any(Number) });
  await connection.client.connect();
  await vi.waitFor(async () => expect(await two.acquire(keys[0] as string)).toBe(one.self), 5_000);
  expect(await Promise.all(keys.map((key) => two.acquire(key)))).toEqual(keys.map(() => one.self));
  for (const key of keys) expect(one.holds(key)).toBe(true);
  await vi.waitFor(async () => expect(await two.acquire("up caller new")).toBe(two.self), 10_000);
});

test("one that was cut off for longer than its lease learns what others have taken over", async () => {
  const { join, connect } = await fleet();
  const connection = await connect();
  const [one, two] = [await join({ connection, leaseMs: 1_000 }), await join({ leaseMs: 1_000 })];
  await one.acquire("a");
  await one.acquire("b");
  const taken: string[] = [];
  one.onLost?.((key) => taken.push(key));
  connection.client.disconnect(false);
  await vi.waitFor(async () => expect(await two.acquire("a")).toBe(two.self), 5_000);
  expect(one.holds("a")).toBe(false);
  await connection.client.connect();
  // The others were there all the time: nobody waits for them.
  expect(await one.acquire("c")).toBe(one.self);
  await vi.waitFor(() => expect(one.holds("b")).toBe(true), 5_000);
  expect(one.holds("a")).toBe(false);
  expect(await one.acquire("a")).toBe(two.self);
  expect(taken).toEqual(["a"]);
});
