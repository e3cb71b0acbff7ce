import { once } from "node:events";
import { afterEach, expect, test, vi } from "vitest";
import { type RunningRedis, startRedis } from "../testing/redis-server.ts";
import { connectRedis, type RedisConnection, type RedisOptions } from "./redis-connection.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(port?: number): Promise<RunningRedis> {
  const redis = await startRedis(port);
  ends.push(() => redis.stop());
  return redis;
}

async function connect(options: RedisOptions): Promise<RedisConnection> {
  const connection = await connectRedis(options);
  ends.push(() => connection.close());
  return connection;
}

test("what one process publishes every process that subscribed hears, and no other channel", async () => {
  const { url } = await start();
  const one = await connect({ url });
  const two = await connect({ url });
  const heard: string[] = [];
  await one.subscribe("news", (text) => heard.push(`one ${text}`));
  const stop = await two.subscribe("news", (text) => heard.push(`two ${text}`));
  await two.subscribe("other", (text) => heard.push(`other ${text}`));
  expect(await one.publish("news", "a")).toBe(2);
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(["one a", "two a"]));
  stop();
  await vi.waitFor(async () => expect(await one.publish("news", "b")).toBe(1));
});

test("names stand behind the prefix, so that two installations share one Redis", async () => {
  const { url } = await start();
  const one = await connect({ url, prefix: "one:" });
  const two = await connect({ url, prefix: "two:" });
  await two.subscribe("news", () => expect.unreachable());
  expect(await one.publish("news", "a")).toBe(0);
  expect(one.nameOf("key")).toBe("one:key");
});

test("a subscription goes on after Redis was away, and commands fail at once meanwhile", async () => {
  const redis = await start();
  const told: string[] = [];
  const connection = await connect({
    url: redis.url,
    onLost: () => told.push("lost"),
    onBack: () => told.push("back"),
  });
  const heard: string[] = [];
  await connection.subscribe("news", (text) => heard.push(text));
  await Promise.all([redis.stop(), once(connection.client, "close")]);
  await expect(connection.publish("news", "lost")).rejects.toThrow();
  expect(connection.isUp).toBe(false);
  await start(redis.port);
  await vi.waitFor(async () => {
    await connection.publish("news", "back");
    expect(heard).toContain("back");
  }, 10_000);
  expect(heard).not.toContain("lost");
  await vi.waitFor(() => expect(told).toEqual(["lost", "back"]), 10_000);
  expect(connection.isUp).toBe(true);
});

test("without Redis there is no connection, and the reason is said", async () => {
  const redis = await start();
  await redis.stop();
  await expect(connectRedis({ url: redis.url })).rejects.toThrow("ECONNREFUSED");
});
