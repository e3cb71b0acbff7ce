// Which replica keeps what, when replicas and Redis come and go.
import { expect, test, vi } from "vitest";
import { useReplicas } from "../testing/replicas.ts";

const startReplicas = useReplicas();
const keys = Array.from({ length: 1_200 }, (_, index) => `up caller ${index}`);

test("gives a session one owner under concurrent acquisitions", async () => {
  const { join } = await startReplicas();
  const replicas = await Promise.all([1, 2, 3].map(() => join({ leaseMs: 10_000 })));
  const claims = keys.flatMap((key) => replicas.map(async (replica) => [key, await replica.acquire(key)] as const));
  const keepers = new Map<string, Set<string>>();
  for (const [key, owner] of await Promise.all(claims)) {
    keepers.set(key, (keepers.get(key) ?? new Set()).add(owner));
  }
  expect([...keepers.values()].filter(({ size }) => size !== 1)).toEqual([]);
  expect(replicas.reduce((sum, { leases }) => sum + leases, 0)).toBe(keys.length);
  for (const replica of replicas) {
    for (const key of keys) expect(replica.holds(key)).toBe(keepers.get(key)?.has(replica.self));
  }
});

test("frees a released session, and ignores a release by another replica", async () => {
  const { join } = await startReplicas();
  const [one, two] = [await join({ leaseMs: 10_000 }), await join({ leaseMs: 10_000 })];
  expect(await one.acquire("a")).toBe(one.self);
  two.release("a");
  expect(await two.acquire("a")).toBe(one.self);
  one.release("a");
  expect(one.holds("a")).toBe(false);
  const three = await join();
  expect(await three.acquire("a")).toBe(three.self);
});

test("stores no caller name in Redis", async () => {
  const { join, connect } = await startReplicas();
  await (await join()).acquire("up caller ann");
  const { client } = await connect();
  expect((await client.keys("*")).join()).not.toContain("ann");
});

test("frees the sessions of a killed replica after its lease, and those of a stopped one at once", async () => {
  const { join, connect } = await startReplicas();
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

test("keeps the sessions of a living replica beyond their expiry", async () => {
  const { join, connect } = await startReplicas();
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

test("treats an unknown value as no owner and keeps renewing the lease", async () => {
  const { join, connect } = await startReplicas();
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

test("acquires nothing while Redis is away, and holds sessions until the lease expires", async () => {
  const { join, redis } = await startReplicas();
  const one = await join({ leaseMs: 1_000 });
  await one.acquire("a");
  await redis.stop();
  expect(one.holds("a")).toBe(true);
  await expect(one.acquire("b")).rejects.toMatchObject({ name: "ReplicaError", reason: "unavailable" });
  await expect(one.reach("other", "/mcp")).rejects.toMatchObject({ reason: "unavailable" });
  await vi.waitFor(() => expect(one.holds("a")).toBe(false), 5_000);
});

test("reports a Redis that rejects writes once until it accepts them again", async () => {
  const { join, connect } = await startReplicas();
  const problems: string[] = [];
  const one = await join({ leaseMs: 300, onProblem: (problem) => problems.push(problem) });
  await one.acquire("a");
  const { client } = await connect();
  await client.config("SET", "maxmemory", "1");
  await vi.waitFor(() => expect(one.holds?.("a")).toBe(false), 5_000);
  await expect(one.acquire("a")).rejects.toMatchObject({
    message: expect.stringContaining("Redis rejected the request"),
  });
  expect(problems).toEqual([expect.stringMatching(/^Redis rejected the lease renewal of this replica: OOM /)]);
  await client.config("SET", "maxmemory", "0");
  await vi.waitFor(() => expect(one.holds?.("a")).toBe(true), 5_000);
});

test("each replica keeps its sessions after Redis lost all data", async () => {
  const { join, connect, restart } = await startReplicas();
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

test("a replica that was cut off longer than its lease learns which sessions it lost", async () => {
  const { join, connect } = await startReplicas();
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
  // The other replicas were connected all the time, so no request waits for them.
  expect(await one.acquire("c")).toBe(one.self);
  await vi.waitFor(() => expect(one.holds("b")).toBe(true), 5_000);
  expect(one.holds("a")).toBe(false);
  expect(await one.acquire("a")).toBe(two.self);
  expect(taken).toEqual(["a"]);
});
