import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
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

test("delivers a message to all subscribers of its channel and no other", async () => {
  const { url } = await start();
  const one = await connect({ url });
  const two = await connect({ url });
  const heard: string[] = [];
  await one.subscribe("news", (text) => heard.push(`one ${text}`));
  const stop = await two.subscribe("news", (text) => heard.push(`two ${text}`));
  await two.subscribe("other", (text) => heard.push(`other ${text}`));
  expect(await one.publish("news", "a")).toBe(2);
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(["one a", "two a"]));
  void stop();
  await vi.waitFor(async () => expect(await one.publish("news", "b")).toBe(1));
});

test("separates two installations in one Redis by their prefixes", async () => {
  const { url } = await start();
  const one = await connect({ url, prefix: "one:" });
  const two = await connect({ url, prefix: "two:" });
  await two.subscribe("news", () => expect.unreachable());
  expect(await one.publish("news", "a")).toBe(0);
  expect(one.nameOf("key")).toBe("one:key");
});

test("commands fail at once while Redis is away, and subscriptions resume afterwards", async () => {
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

/** On the way to a Redis: may stand still without a word, for what goes through at this moment. */
async function startWay(port: number) {
  const through: [near: Socket, far: Socket][] = [];
  const server = createServer((near) => {
    const far = dial(port, "127.0.0.1");
    through.push([near, far]);
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.close();
    for (const socket of through.flat()) socket.destroy();
  });
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => through.length,
    freeze: (index: number) => {
      for (const socket of through[index] ?? []) socket.unpipe().pause();
    },
  };
}

test.each([
  ["both", [0, 1]],
  ["that for commands", [0]],
  ["that which hears", [1]],
])("connections on which nothing comes any more are made anew: %s", async (_, frozen) => {
  const { port } = await start();
  const way = await startWay(port);
  const told: string[] = [];
  const onLost = (reason: string) => told.push(reason);
  const connection = await connect({ url: way.url, timeoutMs: 300, onLost, onBack: () => told.push("back") });
  const heard: string[] = [];
  await connection.subscribe("news", (text) => heard.push(text));
  for (const index of frozen) way.freeze(index);
  await vi.waitFor(() => expect(told).toEqual([expect.stringContaining("does not answer"), "back"]), 10_000);
  await vi.waitFor(async () => {
    await connection.publish("news", "back");
    expect(heard).toContain("back");
  }, 5_000);
  expect(way.count()).toBe(4);
});

test("keeps a connection whose heartbeats arrive", async () => {
  const { port } = await start();
  const way = await startWay(port);
  await connect({ url: way.url, timeoutMs: 500 });
  const until = performance.now() + 1_500;
  await vi.waitUntil(() => performance.now() > until, 5_000);
  expect(way.count()).toBe(2);
});

test("reconnects until the address leads to a writable Redis", async () => {
  const [old, next] = [await start(), await start()];
  const { client } = await connect({ url: old.url });
  await client.config("SET", "replica-read-only", "yes");
  await client.replicaof("127.0.0.1", next.port);
  const closed = once(client, "close");
  await expect(client.set("a", "b")).rejects.toThrow("READONLY");
  await closed;
  const other = await connect({ url: old.url });
  await other.client.replicaof("NO", "ONE");
  await vi.waitFor(async () => expect(await client.set("a", "b")).toBe("OK"), 5_000);
});

test("detects a stalled Redis, also without commands, and reconnects", async () => {
  const redis = await start();
  const told: string[] = [];
  const connection = await connect({
    url: redis.url,
    timeoutMs: 200,
    onLost: () => told.push("lost"),
    onBack: () => told.push("back"),
  });
  redis.pause();
  // Nobody has sent a command.
  await vi.waitFor(() => expect(told).toEqual(["lost"]), 5_000);
  expect(connection.isUp).toBe(false);
  redis.goOn();
  await vi.waitFor(() => expect(told[1]).toBe("back"), 5_000);
});

test("rejects with the reason when Redis is unreachable", async () => {
  const redis = await start();
  await redis.stop();
  await expect(connectRedis({ url: redis.url })).rejects.toThrow("ECONNREFUSED");
  const other = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
  ends.push(() => other.close());
  await once(other, "listening");
  const url = `redis://127.0.0.1:${(other.address() as AddressInfo).port}`;
  await expect(connectRedis({ url })).rejects.toThrow("the server at this address is no Redis");
});

test.each([
  ["0", "allkeys-lru", 0],
  ["100mb", "noeviction", 0],
  ["100mb", "allkeys-lru", 1],
  ["100mb", "volatile-ttl", 1],
])("with maxmemory %s and %s, operators hear of what may be lost: %i", async (maxmemory, policy, count) => {
  const { url } = await start();
  const { client } = await connect({ url });
  await client.config("SET", "maxmemory", maxmemory, "maxmemory-policy", policy);
  const problems: string[] = [];
  await connect({ url, onProblem: (problem) => problems.push(problem) });
  expect(problems).toEqual(Array(count).fill(expect.stringContaining(`(maxmemory-policy ${policy})`)));
});
