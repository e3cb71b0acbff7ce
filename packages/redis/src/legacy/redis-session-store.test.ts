import { once } from "node:events";
import { invalidParams } from "@lethe/protocol";
import type { SessionState, SessionStore } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisSessionStore, type RedisSessionStoreOptions } from "./redis-session-store.ts";

const { connect, start } = useRedis();

async function open(options: RedisSessionStoreOptions = {}): Promise<SessionStore & { connection: RedisConnection }> {
  const connection = await connect();
  return { ...(await createRedisSessionStore(connection, { keys, ...options })), connection };
}
const add =
  (uri: string) =>
  (state: SessionState): SessionState => ({ ...state, subscriptions: [...(state.subscriptions ?? []), uri] });

test("shares a change with every process and notifies each watcher once", async () => {
  const [one, two] = [await open(), await open()];
  expect(await two.get("s")).toBeUndefined();
  const [here, there] = [vi.fn(), vi.fn()];
  one.watch("s", here);
  two.watch("s", there);
  two.watch("t", () => expect.unreachable());
  await one.update("s", (state) => ({ ...state, logLevel: "error" }));
  expect(one.get("s")).toEqual({ logLevel: "error" });
  await vi.waitFor(() => expect(there).toHaveBeenCalledExactlyOnceWith({ logLevel: "error" }));
  expect(here).toHaveBeenCalledExactlyOnceWith({ logLevel: "error" });
  expect(two.get("s")).toEqual({ logLevel: "error" });
  expect(await (await open()).get("s")).toEqual({ logLevel: "error" });
});

test("reads a cached session again only after maxAgeMs", async () => {
  const [one, two] = [await open({ maxAgeMs: 300 }), await open()];
  await two.update("s", add("a:"));
  const get = vi.spyOn(one.connection.client, "get");
  expect(await one.get("s")).toEqual({ subscriptions: ["a:"] });
  expect(one.get("s")).toEqual({ subscriptions: ["a:"] });
  expect(get).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(one.get("s")).toBeInstanceOf(Promise));
  await vi.waitFor(() => expect(one.get("s")).toEqual({ subscriptions: ["a:"] }));
});

test("loses no concurrent update, in one process or several", async () => {
  const stores = [await open(), await open(), await open()];
  const uris = Array.from({ length: 30 }, (_, index) => `u:${index}`);
  await Promise.all(uris.map((uri, index) => stores[index % 3]?.update("s", add(uri))));
  const { subscriptions = [] } = (await (await open()).get("s")) ?? {};
  expect(subscriptions.toSorted()).toEqual(uris.toSorted());
  for (const store of stores) {
    await vi.waitFor(async () => expect((await store.get("s"))?.subscriptions).toHaveLength(30));
  }
});

test("rethrows the error of an update and changes nothing", async () => {
  const store = await open();
  const update = store.update("s", () => {
    throw invalidParams("too many");
  });
  await expect(update).rejects.toThrow("too many");
  expect(await store.get("s")).toBeUndefined();
});

test("ignores a state written without the keys", async () => {
  const [one, two] = [await open(), await open()];
  await one.update("s", () => ({ isTerminated: true }));
  const { client, nameOf } = one.connection;
  const sealed = (await client.get(nameOf("session:s"))) ?? "";
  expect(sealed).not.toContain("isTerminated");
  await client.set(nameOf("session:t"), sealed);
  expect(await two.get("t")).toBeUndefined();
  await one.connection.publish("sessions", `x t ${sealed}`);
  await one.connection.publish("sessions", "nonsense");
  expect(await two.get("t")).toBeUndefined();
});

test("deletes a state with its session and after its time to live", async () => {
  const store = await open({ ttlMs: 60_000 });
  await store.update("s", add("a:"));
  const key = store.connection.nameOf("session:s");
  expect(await store.connection.client.pttl(key)).toBeGreaterThan(50_000);
  await store.forget("s");
  expect(await store.connection.client.exists(key)).toBe(0);
  expect(await store.get("s")).toBeUndefined();
});

test("bounds the cache, and reads evicted sessions from Redis", async () => {
  const store = await open({ maxSessions: 2, maxSize: 100 });
  for (const id of ["a", "b", "c"]) await store.update(id, add(id));
  const get = vi.spyOn(store.connection.client, "get");
  expect(store.get("c")).toEqual({ subscriptions: ["c"] });
  expect(await store.get("a")).toEqual({ subscriptions: ["a"] });
  await store.update("b", add("x".repeat(100)));
  expect((await store.get("b"))?.subscriptions).toHaveLength(2);
  expect(get).toHaveBeenCalledTimes(3);
});

test("keeps cached states after Redis lost its data, and shares later changes", async () => {
  const [one, two] = [await open({ maxAgeMs: 0 }), await open({ maxAgeMs: 0 })];
  for (const uri of ["a:", "b:"]) await one.update("s", add(uri));
  await vi.waitFor(async () => expect((await two.get("s"))?.subscriptions).toHaveLength(2));
  await one.connection.client.flushall();
  expect(await two.get("s")).toEqual({ subscriptions: ["a:", "b:"] });
  await two.update("s", add("c:"));
  const changed = { subscriptions: ["a:", "b:", "c:"] };
  expect(await one.get("s")).toEqual(changed);
  expect(await (await open()).get("s")).toEqual(changed);
});

test("serves cached sessions while Redis is away and rejects changes", async () => {
  const own = await start();
  const connection = await connect({ url: own.url });
  const store = await createRedisSessionStore(connection, { keys, maxAgeMs: 0 });
  await store.update("s", add("a:"));
  await Promise.all([own.stop(), once(connection.client, "close")]);
  expect(await store.get("s")).toEqual({ subscriptions: ["a:"] });
  expect(await store.get("t")).toBeUndefined();
  await expect(store.update("s", add("b:"))).rejects.toMatchObject({ data: { retryAfterMs: 1_000 } });
  await store.forget("s");
});
