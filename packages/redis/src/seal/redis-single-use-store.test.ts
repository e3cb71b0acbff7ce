import { once } from "node:events";
import type { Round, SingleUseStore } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisSingleUseStore, type RedisSingleUseOptions } from "./redis-single-use-store.ts";
import { claimScript } from "./single-use-scripts.ts";

const { connect, start } = useRedis();

async function openIn(redis: RedisConnection, options: RedisSingleUseOptions = {}): Promise<SingleUseStore> {
  return createRedisSingleUseStore(redis, { keys, ...options });
}

async function openEach(count: number, options: RedisSingleUseOptions = {}): Promise<SingleUseStore[]> {
  return Promise.all(Array.from({ length: count }, async () => openIn(await connect(), options)));
}

function round(more: Partial<Round> = {}): Round {
  return { id: "a", callerId: "ann", expiresAt: Date.now() + 60_000, inputs: "yes", ...more };
}

test("one of several processes claims a state, and the others get its answer (E-28)", async () => {
  const stores = await openEach(3);
  const claims = await Promise.all(stores.map((store) => store.claim(round())));
  expect(claims.map(({ status }) => status).toSorted()).toEqual(["claimed", "running", "running"]);
  const winner = stores[claims.findIndex(({ status }) => status === "claimed")];
  await winner?.settle(round(), "answer");
  for (const store of stores) {
    expect(await store.claim(round())).toEqual({ status: "answered", answer: "answer" });
    expect(await store.claim(round({ inputs: "no" }))).toEqual({ status: "used" });
  }
});

test("a state stays used after its answer was forgotten, until its token expires", async () => {
  const redis = await connect();
  const store = await openIn(redis, { keepAnswersMs: 1 });
  await store.claim(round());
  await store.settle(round(), "answer");
  await expect.poll(() => store.claim(round())).toEqual({ status: "used" });
  const [set = ""] = await redis.client.keys(redis.nameOf("single-use:*"));
  const ttlMs = await redis.client.pttl(set);
  expect(ttlMs).toBeGreaterThan(60_000);
  expect(ttlMs).toBeLessThanOrEqual(121_000);
});

test("a released state can be claimed by another process, with other inputs", async () => {
  const [one, other] = (await openEach(2)) as [SingleUseStore, SingleUseStore];
  await one.claim(round());
  await one.release(round());
  expect(await other.claim(round({ inputs: "no" }))).toEqual({ status: "claimed" });
});

test("a round of a process that ended counts as lost after its lease, and does not run again", async () => {
  const [dead, other] = (await openEach(2, { leaseMs: 1 })) as [SingleUseStore, SingleUseStore];
  await dead.claim(round());
  await expect.poll(() => other.claim(round())).toEqual({ status: "lost" });
});

test("a process renews the lease of a running round, and ends it with the round", async () => {
  const redis = await connect();
  const store = await openIn(redis, { leaseMs: 3_000 });
  await store.claim(round());
  const leftMs = () => redis.client.pttl(redis.nameOf("answering:a"));
  let last = await leftMs();
  async function hasGrown(): Promise<boolean> {
    const before = last;
    last = await leftMs();
    return last > before;
  }
  await expect.poll(hasGrown, { timeout: 10_000 }).toBe(true);
  await store.settle(round(), "answer");
  expect(await leftMs()).toBe(-2);
});

test("rejects a caller that has used up its share, and no other caller", async () => {
  const [store] = (await openEach(1, { maxStatesPerCaller: 2 })) as [SingleUseStore];
  for (const id of ["a", "b"]) expect(await store.claim(round({ id }))).toEqual({ status: "claimed" });
  expect(await store.claim(round({ id: "c" }))).toEqual({ status: "full", isCaller: true });
  expect(await store.claim(round({ id: "c", callerId: "bob" }))).toEqual({ status: "claimed" });
});

test("callers without authentication share one limit", async () => {
  const [store] = (await openEach(1, { maxStates: 1 })) as [SingleUseStore];
  expect(await store.claim(round({ callerId: undefined }))).toEqual({ status: "claimed" });
  const refused = await store.claim(round({ id: "b", callerId: undefined }));
  expect(refused).toEqual({ status: "full", isCaller: false });
});

test("drops answers beyond a caller's share of bytes, and their states stay used", async () => {
  const [store] = (await openEach(1, { maxAnswerBytesPerCaller: 20 })) as [SingleUseStore];
  for (const id of ["a", "b", "large"]) {
    await store.claim(round({ id }));
    await store.settle(round({ id }), id === "large" ? "12345678901" : "1234567");
  }
  const claims = await Promise.all(["a", "b", "large"].map((id) => store.claim(round({ id }))));
  expect(claims).toEqual([{ status: "used" }, { status: "answered", answer: "1234567" }, { status: "used" }]);
});

test("stores answers, inputs and caller names in Redis only encrypted or hashed", async () => {
  const redis = await connect();
  const store = await openIn(redis);
  await store.claim(round({ callerId: "ann@example.com", inputs: "the inputs" }));
  await store.settle(round({ callerId: "ann@example.com" }), "the answer");
  const names = await redis.client.keys(redis.nameOf("*"));
  const round1 = await redis.client.hgetall(redis.nameOf("answer:a"));
  const seen = JSON.stringify([names, round1]);
  expect(Object.keys(round1).toSorted()).toEqual(["answer", "inputs"]);
  for (const secret of ["ann@example.com", "the inputs", "the answer"]) expect(seen).not.toContain(secret);
});

test("claims no state while Redis is away, and asks the caller to retry", async () => {
  const own = await start();
  const connection = await connect({ url: own.url });
  const store = await openIn(connection);
  await Promise.all([own.stop(), once(connection.client, "close")]);
  await expect(store.claim(round())).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: 1_000 } });
  await store.settle(round(), "answer");
  await store.release(round());
});

test("does not run a round again if Redis could not store its end", async () => {
  const redis = await connect();
  const store = await openIn(redis);
  expect(await store.claim(round())).toEqual({ status: "claimed" });
  vi.spyOn(redis.client, "del").mockRejectedValueOnce(new Error("away"));
  await store.settle(round(), undefined);
  expect(await store.claim(round())).toEqual({ status: "lost" });
});

test("a round whose claim was not confirmed, or whose release failed, can be claimed again", async () => {
  const redis = await connect();
  const store = await openIn(redis);
  const { evalsha, eval: run } = redis.client;
  const spy = vi.spyOn(redis.client, "evalsha");
  // Redis carries the script out, and its reply is lost.
  spy.mockImplementationOnce((async (_digest: string, ...args: unknown[]) => {
    await (run as (...all: unknown[]) => Promise<unknown>).call(redis.client, claimScript, ...args);
    throw new Error("away");
  }) as typeof evalsha);
  await expect(store.claim(round())).rejects.toMatchObject({ data: { reason: "unavailable", retryAfterMs: 1_000 } });
  expect(await store.claim(round())).toEqual({ status: "claimed" });
  spy.mockRejectedValueOnce(new Error("away"));
  await store.release(round());
  expect(await store.claim(round())).toEqual({ status: "claimed" });
});
