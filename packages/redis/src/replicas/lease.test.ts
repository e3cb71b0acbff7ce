// Which replica keeps what, when replicas and Redis come and go.
import { expect, test, vi } from "vitest";
import type { RedisCommands, RedisLink } from "../connection/redis-link.ts";
import { createLastingEvidence, disconnect, ownerOf, useReplicas } from "../testing/replicas.ts";

const startReplicas = useReplicas();

function pickCommands(client: RedisCommands): RedisCommands {
  return {
    call: (...args) => client.call(...args),
    evalsha: (...args) => client.evalsha(...args),
    eval: (...args) => client.eval(...args),
    on: (...args) => client.on(...args),
    off: (...args) => client.off(...args),
  };
}

const keys = Array.from({ length: 1_200 }, (_, index) => `up caller ${index}`);

test("gives a session one owner under concurrent acquisitions", async () => {
  const { join } = await startReplicas();
  const replicas = await Promise.all([1, 2, 3].map(() => join()));
  const claims = keys.flatMap((key) => replicas.map(async (replica) => [key, await ownerOf(replica, key)] as const));
  const keepers = new Map<string, Set<string>>();
  for (const [key, owner] of await Promise.all(claims)) {
    keepers.set(key, (keepers.get(key) ?? new Set()).add(owner));
  }
  expect([...keepers.values()].filter(({ size }) => size !== 1)).toEqual([]);
  expect(replicas.reduce((sum, { leases }) => sum + leases, 0)).toBe(keys.length);
  // So many requests may delay heartbeats.
  await vi.waitFor(() => {
    for (const replica of replicas) {
      const held = keys.filter((key) => replica.holds(key));
      expect(held).toEqual(keys.filter((key) => keepers.get(key)?.has(replica.self)));
    }
  }, 10_000);
});

test("frees a released session, and ignores a release by another replica", async () => {
  const { join } = await startReplicas();
  const [one, two] = [await join(), await join()];
  expect(await ownerOf(one, "a")).toBe(one.self);
  two.release("a");
  expect(await ownerOf(two, "a")).toBe(one.self);
  one.release("a");
  expect(one.holds("a")).toBe(false);
  const three = await join();
  expect(await ownerOf(three, "a")).toBe(three.self);
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
  expect(await ownerOf(other, "b")).toBe(other.self);
  expect(await ownerOf(other, "a")).toBe(killed.self);
  await vi.waitFor(async () => expect(await ownerOf(other, "a")).toBe(other.self), 5_000);
  expect(killed.holds("a")).toBe(false);
  expect(await other.reach(killed.self, "/mcp")).toBeUndefined();
  await expect(leaving.acquire("c")).rejects.toMatchObject({ reason: "unavailable" });
});

test("gives up sessions of others after a renewal whose reply was lost", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  let renewals: "pass" | "stay away" | "lose the reply" = "pass";
  const client = {
    ...pickCommands(connection.client),
    async evalsha(digest: string, keyCount: number, ...args: (string | number)[]) {
      const isRenewal = String(args[1]).endsWith("anybody");
      if (isRenewal && renewals === "stay away") throw new Error("cut off");
      const reply = await connection.client.evalsha(digest, keyCount, ...args);
      if (!isRenewal || renewals === "pass") return reply;
      renewals = "pass";
      throw new Error("the reply is lost");
    },
  };
  const link: RedisLink = { ...connection, client, isUp: true };
  const [one, two] = [await join({ connection: link, leaseMs: 500 }), await join()];
  await one.acquire("a");
  renewals = "stay away";
  await vi.waitFor(async () => expect(await ownerOf(two, "a")).toBe(two.self), 5_000);
  renewals = "lose the reply";
  // It is valid again and owns new sessions, but not the one that it lost.
  await vi.waitFor(async () => {
    expect(renewals).toBe("pass");
    await one.acquire("b");
    expect(one.holds("b")).toBe(true);
  }, 5_000);
  expect(one.holds("a")).toBe(false);
});

test("keeps the sessions of a living replica beyond their expiry", async () => {
  const { join, connect } = await startReplicas();
  const one = await join({ leaseMs: 60, rememberMs: 240 });
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
  const [one, two] = [await join({ leaseMs: 300, rememberMs: 6_000 }), await join()];
  await two.acquire("warm");
  for (const key of ["a", "b", "c"]) await one.acquire(key);
  const { client } = await connect();
  for (const name of await client.keys("lethe:claim:*")) {
    if ((await client.get(name)) === two.self) continue;
    await client.del(name);
    await client.rpush(name, "x");
  }
  expect(await ownerOf(two, "a")).toBe(two.self);
  await vi.waitFor(async () => {
    const names = await client.keys("lethe:claim:*");
    expect(new Set(await Promise.all(names.map((name) => client.type(name))))).toEqual(new Set(["string"]));
  }, 10_000);
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
  await client.config("SET", "min-replicas-to-write", "1");
  await vi.waitFor(() => expect(one.holds?.("a")).toBe(false), 5_000);
  await expect(one.acquire("a")).rejects.toMatchObject({
    message: expect.stringContaining("Redis rejected the request"),
  });
  expect(problems).toEqual([expect.stringMatching(/^Redis rejected the lease renewal of this replica: NOREPLICAS /)]);
  await client.config("SET", "min-replicas-to-write", "0");
  await vi.waitFor(() => expect(one.holds?.("a")).toBe(true), 5_000);
});

test("each replica that stayed valid keeps its sessions after Redis lost all data", async () => {
  const { join, connect, restart } = await startReplicas();
  const connection = await connect();
  const [one, two] = [
    await join({ connection, leaseMs: 3_000, evidence: createLastingEvidence() }),
    await join({ leaseMs: 3_000 }),
  ];
  for (const key of keys) await one.acquire(key);
  // It comes back later than the other.
  await disconnect(connection);
  await restart();
  await vi.waitFor(async () => {
    const told = await two.acquire("up caller new").catch((error: unknown) => error);
    expect(told).toMatchObject({ reason: "unavailable", message: expect.stringContaining("after an outage") });
  }, 5_000);
  const told = await two.acquire(keys[0] as string).catch((error: unknown) => error);
  expect(told).toMatchObject({ reason: "unavailable", retryAfterMs: expect.any(Number) });
  await connection.client.connect();
  // It records its sessions in several steps.
  const owners = () => Promise.all(keys.map((key) => ownerOf(two, key)));
  await vi.waitFor(async () => expect(await owners()).toEqual(keys.map(() => one.self)), 10_000);
  for (const key of keys) expect(one.holds(key)).toBe(true);
  await vi.waitFor(async () => expect(await ownerOf(two, "up caller new")).toBe(two.self), 10_000);
});

test("a replica that did not stay valid gives up its sessions after Redis lost all data", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const one = await join({ connection, leaseMs: 500 });
  for (const key of ["a", "b"]) await one.acquire(key);
  const lost: string[] = [];
  one.onLost((key) => lost.push(key));
  await disconnect(connection);
  await vi.waitFor(() => expect(one.holds("a")).toBe(false), 5_000);
  // Meanwhile another replica may have had them.
  await (await connect()).client.flushall();
  await connection.client.connect();
  await vi.waitFor(() => expect(lost).toEqual(["a", "b"]), 10_000);
  // The next owner hears that the session is not new.
  const two = await join();
  const found = { owner: two.self, formerOwner: `lost:${one.self}` };
  await vi.waitFor(async () => expect(await two.acquire("a")).toEqual(found), 10_000);
});

test("a replica that stayed valid keeps a session that another one reports as lost after Redis lost all data", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const one = await join({ connection, leaseMs: 3_000, evidence: createLastingEvidence() });
  await one.acquire("a");
  const { client, nameOf } = await connect();
  const [name = ""] = await client.keys(nameOf("claim:*"));
  await disconnect(connection);
  await client.flushall();
  await client.set(name, `lost:${crypto.randomUUID()}`);
  await connection.client.connect();
  await vi.waitFor(async () => expect(await client.get(name)).toBe(one.self), 10_000);
  expect(one.holds("a")).toBe(true);
  // Before its next heartbeat.
  await client.set(name, `lost:${crypto.randomUUID()}`);
  expect(await ownerOf(one, "a")).toBe(one.self);
});

test("a replica that did not stay valid gives up its sessions after a failover to an older copy", async () => {
  const { connect } = await startReplicas();
  const primary = await startReplicas();
  const connection = await primary.connect();
  const one = await primary.join({ connection, leaseMs: 500 });
  await one.acquire("a");
  const names = await connection.client.keys("lethe:claim:*");
  const standBy = await connect();
  for (const name of names) await standBy.client.set(name, one.self);
  const lost: string[] = [];
  one.onLost((key) => lost.push(key));
  await disconnect(connection);
  await vi.waitFor(() => expect(one.holds("a")).toBe(false), 5_000);
  Object.assign(connection.client.options, { port: standBy.client.options.port });
  await connection.client.connect();
  await vi.waitFor(() => expect(lost).toEqual(["a"]), 10_000);
  const told = { owner: one.self, formerOwner: `lost:${one.self}` };
  await vi.waitFor(async () => expect(await one.acquire("a")).toEqual(told), 10_000);
});

test("a replica that was cut off longer than its lease learns which sessions it lost", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const [one, two] = [await join({ connection, leaseMs: 1_000 }), await join({ leaseMs: 1_000 })];
  await one.acquire("a");
  await one.acquire("b");
  const taken: string[] = [];
  one.onLost?.((key) => taken.push(key));
  await disconnect(connection);
  await vi.waitFor(async () => expect(await ownerOf(two, "a")).toBe(two.self), 5_000);
  expect(one.holds("a")).toBe(false);
  await connection.client.connect();
  // The other replicas were connected all the time, so no request waits for them.
  expect(await ownerOf(one, "c")).toBe(one.self);
  await vi.waitFor(() => expect(one.holds("b")).toBe(true), 5_000);
  expect(one.holds("a")).toBe(false);
  expect(await ownerOf(one, "a")).toBe(two.self);
  expect(taken).toEqual(["a"]);
});
