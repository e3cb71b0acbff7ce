// What the store of session state in Redis does beyond the contract of its interface.
import { expect, it } from "vitest";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisSessionStateStore } from "./redis-session-state-store.ts";

const { connect } = useRedis();

it("session state that no key of the process opens is an error, not a new session", async () => {
  const redis = await connect();
  const store = await createRedisSessionStateStore(redis, { keys });
  await store.write("cart", "{}", { expected: 0, ttlMs: 60_000 });
  const stranger = await createRedisSessionStateStore(redis, { keys: `other:${"A".repeat(43)}` });
  await expect(stranger.read("cart")).rejects.toThrow("no key of this process opens it");
  expect(await store.read("cart")).toMatchObject({ text: "{}" });
});

it("session state above the size limit is not written", async () => {
  const store = await createRedisSessionStateStore(await connect(), { keys, maxBytes: 100 });
  const tooLarge = store.write("cart", "x".repeat(101), { expected: 0, ttlMs: 60_000 });
  await expect(tooLarge).rejects.toThrow(RangeError);
  expect(await store.read("cart")).toBeUndefined();
});
