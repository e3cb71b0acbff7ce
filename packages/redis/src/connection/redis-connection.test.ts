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
  const received: string[] = [];
  await one.subscribe("news", (text) => received.push(`one ${text}`));
  const stop = await two.subscribe("news", (text) => received.push(`two ${text}`));
  await two.subscribe("other", (text) => received.push(`other ${text}`));
  expect(await one.publish("news", "a")).toBe(2);
  await vi.waitFor(() => expect(received.toSorted()).toEqual(["one a", "two a"]));
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
  const events: string[] = [];
  const connection = await connect({
    url: redis.url,
    onLost: () => events.push("lost"),
    onBack: () => events.push("back"),
  });
  const received: string[] = [];
  await connection.subscribe("news", (text) => received.push(text));
  await Promise.all([redis.stop(), once(connection.client, "close")]);
  await expect(connection.publish("news", "lost")).rejects.toThrow();
  expect(connection.isUp).toBe(false);
  await start(redis.port);
  await vi.waitFor(async () => {
    await connection.publish("news", "back");
    expect(received).toContain("back");
  }, 10_000);
  expect(received).not.toContain("lost");
  await vi.waitFor(() => expect(events).toEqual(["lost", "back"]), 10_000);
  expect(connection.isUp).toBe(true);
});

/** A proxy before Redis that can freeze single connections without closing them. */
async function startFreezableProxy(port: number) {
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
  ["commands", [0]],
  ["subscriptions", [1]],
])("reopens silent connections: %s", async (_, frozen) => {
  const { port } = await start();
  const proxy = await startFreezableProxy(port);
  const events: string[] = [];
  const onLost = (reason: string) => events.push(reason);
  const connection = await connect({ url: proxy.url, timeoutMs: 300, onLost, onBack: () => events.push("back") });
  const received: string[] = [];
  await connection.subscribe("news", (text) => received.push(text));
  for (const index of frozen) proxy.freeze(index);
  await vi.waitFor(() => expect(events).toEqual([expect.stringContaining("does not answer"), "back"]), 10_000);
  await vi.waitFor(async () => {
    await connection.publish("news", "back");
    expect(received).toContain("back");
  }, 5_000);
  expect(proxy.count()).toBe(4);
});

test("keeps a connection whose heartbeats arrive", async () => {
  const { port } = await start();
  const proxy = await startFreezableProxy(port);
  await connect({ url: proxy.url, timeoutMs: 500 });
  const until = performance.now() + 1_500;
  await vi.waitUntil(() => performance.now() > until, 5_000);
  expect(proxy.count()).toBe(2);
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
  const events: string[] = [];
  const connection = await connect({
    url: redis.url,
    timeoutMs: 200,
    onLost: () => events.push("lost"),
    onBack: () => events.push("back"),
  });
  redis.pause();
  // No command was sent.
  await vi.waitFor(() => expect(events).toEqual(["lost"]), 5_000);
  expect(connection.isUp).toBe(false);
  redis.goOn();
  await vi.waitFor(() => expect(events[1]).toBe("back"), 5_000);
});

test("rejects with the reason when Redis has too many clients", async () => {
  const redis = await startRedis(undefined, ["--maxclients", "2"]);
  ends.push(() => redis.stop());
  await connect({ url: redis.url });
  await expect(connectRedis({ url: redis.url })).rejects.toThrow(
    `Redis at ${redis.url} cannot be used: ERR max number of clients reached; raise maxclients of Redis`,
  );
});

test("rejects with the reason when no node of a Cluster listens", async () => {
  await expect(connectRedis({ url: "redis+cluster://127.0.0.1:1" })).rejects.toThrow(
    "Redis at redis+cluster://127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1; check that it runs",
  );
});

test("rejects with the reason when Redis is unreachable", async () => {
  const redis = await start();
  await redis.stop();
  await expect(connectRedis({ url: redis.url.replace("//", "//user:s3cret@") })).rejects.toThrow(
    new RegExp(`^Redis at ${redis.url}/? cannot be used: .*ECONNREFUSED.*; check that it runs`),
  );
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
])(
  "with maxmemory %s and the policy %s, reports %i problems about possible eviction",
  async (maxmemory, policy, count) => {
    const { url } = await start();
    const { client } = await connect({ url });
    await client.config("SET", "maxmemory", maxmemory, "maxmemory-policy", policy);
    const problems: string[] = [];
    await connect({ url, onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual(Array(count).fill(expect.stringContaining(`(maxmemory-policy ${policy})`)));
  },
);
