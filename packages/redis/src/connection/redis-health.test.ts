import { type Clock, systemClock } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { useRedis } from "../testing/own-redis.ts";
import type { RunningRedis } from "../testing/redis-server.ts";
import { connectRedis } from "./redis-connection.ts";
import { RedisHealth } from "./redis-health.ts";

const redis = useRedis();
const patience = { timeout: 20_000, interval: 50 };

/** Watches `server` as a gateway does, and records what it reports. */
async function watch(server: RunningRedis, { clock, url = server.url }: { clock?: Clock; url?: string } = {}) {
  const events: string[] = [];
  const texts: string[] = [];
  const health = new RedisHealth({
    ...{ url, probeEveryMs: 200 },
    ...(clock && { clock }),
    onBegin({ reason, text }) {
      events.push(`begin ${reason}`);
      texts.push(text);
    },
    onEnd: (reason) => events.push(`end ${reason}`),
    onLost: () => events.push("lost"),
    onBack: () => events.push("back"),
  });
  const connection = await connectRedis({ url, onLost: health.connectionLost, onBack: health.connectionBack });
  health.watch(connection);
  redis.atEnd(() => {
    health.close();
    connection.close();
  });
  const operator = await redis.connect({ url: server.url, prefix: "operator:" });
  await vi.waitFor(async () => expect(await operator.client.keys("lethe:marker:*")).toHaveLength(1), patience);
  return { events, texts, health, client: operator.client };
}

async function expectEvents(events: readonly string[], expected: readonly string[]): Promise<void> {
  await vi.waitFor(() => expect(events).toEqual(expected), patience);
}

test("a healthy Redis has no problems", async () => {
  const { health, events } = await watch(await redis.start());
  expect(health.problems).toEqual([]);
  expect(health.isReached).toBe(true);
  expect(events).toEqual([]);
});

test("reports a full Redis until there is room again", async () => {
  const { events, texts, health, client } = await watch(await redis.start());
  await client.config("SET", "maxmemory", "1mb");
  await expectEvents(events, ["begin full"]);
  expect(texts).toEqual([expect.stringContaining("raise maxmemory")]);
  expect(health.isReached).toBe(true);
  await client.config("SET", "maxmemory", "0");
  await expectEvents(events, ["begin full", "end full"]);
});

test("reports a Redis that becomes a read-only stand-by, without reporting its connection as lost", async () => {
  const primary = await redis.start();
  const { events, client } = await watch(await redis.start());
  await client.call("REPLICAOF", "127.0.0.1", String(primary.port));
  // A stand-by has the data of its primary, and so it lost its own.
  await vi.waitFor(() => expect(events).toContain("begin read_only"), patience);
  await client.call("REPLICAOF", "NO", "ONE");
  await vi.waitFor(() => expect(events).toContain("end read_only"), patience);
  expect(events).not.toContain("lost");
});

test("reports an eviction policy that is set later", async () => {
  const { events, client } = await watch(await redis.start());
  await client.config("SET", "maxmemory-policy", "allkeys-lru");
  await client.config("SET", "maxmemory", "100mb");
  await expectEvents(events, ["begin evicting"]);
  await client.config("SET", "maxmemory-policy", "noeviction");
  await expectEvents(events, ["begin evicting", "end evicting"]);
});

test("reports each loss of all data", async () => {
  const { events, health, client } = await watch(await redis.start());
  await client.flushall();
  await expectEvents(events, ["begin flushed"]);
  await vi.waitFor(async () => expect(await client.keys("lethe:marker:*")).toHaveLength(1), patience);
  await client.flushall();
  await expectEvents(events, ["begin flushed", "begin flushed"]);
  expect(health.has("flushed")).toBe(true);
});

test("reports another instance at the same address", async () => {
  const first = await redis.start();
  const { events, texts } = await watch(first);
  await first.stop();
  await redis.start(first.port);
  await expectEvents(events, ["lost", "back", "begin replaced"]);
  expect(texts).toEqual([expect.stringContaining("without the data of the one before")]);
});

test("reports a Redis that stops answering within two probes", async () => {
  const server = await redis.start();
  const { events, health } = await watch(server);
  server.pause();
  await expectEvents(events, ["lost"]);
  expect(health.problems).toEqual([
    { reason: "unreachable", text: "Redis is unreachable: it has not answered for 1 s" },
  ]);
  server.goOn();
  await expectEvents(events, ["lost", "back"]);
  expect(health.problems).toEqual([]);
});

test("reports clocks that differ, by how much and in which direction", async () => {
  const clock: Clock = { ...systemClock, wallTime: () => Date.now() - 60_000 };
  const { events, texts } = await watch(await redis.start(), { clock });
  await expectEvents(events, ["begin clock_skew"]);
  expect(texts).toEqual([expect.stringMatching(/clock of this machine is (59|60)\.\d s behind that of Redis/)]);
});

test("reports commands that the account may no longer run", async () => {
  const { events, texts, client } = await watch(await redis.start());
  await client.call("ACL", "SETUSER", "default", "-set");
  await expectEvents(events, ["begin no_permission"]);
  expect(texts).toEqual([expect.stringContaining("check its password and ACL")]);
  await client.call("ACL", "SETUSER", "default", "+set");
  await expectEvents(events, ["begin no_permission", "end no_permission"]);
});

test("reports a changed password as the reason why there is no connection", async () => {
  const { events, client } = await watch(await redis.start());
  await client.config("SET", "requirepass", "other");
  await client.call("CLIENT", "KILL", "TYPE", "normal");
  await vi.waitFor(() => expect(events).toContain("begin no_permission"), patience);
});

test("reports a Redis that is loading its data", async () => {
  const server = await redis.start(undefined, ["--enable-debug-command", "local"]);
  const { events, client } = await watch(server);
  await client.call("DEBUG", "POPULATE", "3000", "key", "1000");
  await client.config("SET", "key-load-delay", "1000");
  // Redis answers between the keys that it loads.
  await client.config("SET", "loading-process-events-interval-bytes", "1024");
  const reload = client.call("DEBUG", "RELOAD").catch(() => {});
  await vi.waitFor(() => expect(events).toContain("begin loading"), patience);
  await reload;
  await vi.waitFor(() => expect(events).toContain("end loading"), patience);
});
