import { once } from "node:events";
import type { EventLog } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisEventLog, type RedisEventLogOptions } from "./redis-event-log.ts";

const { connect, start } = useRedis();
const stream = { sessionId: "s", streamId: "a" };

async function open(
  options: RedisEventLogOptions = {},
  place: { url?: string } = {},
): Promise<EventLog & { connection: RedisConnection }> {
  const connection = await connect(place);
  return { ...(await createRedisEventLog(connection, { keys, ...options })), connection };
}

async function follow(log: EventLog, after = 0, name = stream) {
  const heard: string[] = [];
  const following = await log.follow(name, after, {
    event: (seq, text) => heard.push(`${seq} ${text}`),
    end: () => heard.push("end"),
  });
  return { heard, following };
}

function fill(log: EventLog, texts: readonly string[]): void {
  log.begin(stream);
  for (const [index, text] of texts.entries()) log.append(stream, index + 1, text);
}

/** Waits until earlier writes are stored: Redis runs the commands of one connection in order. */
const written = ({ connection }: { connection: RedisConnection }) => connection.client.ping();

test("another process replays missed events, then live ones and the end, each once and in order", async () => {
  const [one, two] = [await open(), await open()];
  fill(one, ["a", "b"]);
  await written(one);
  const { heard, following } = await follow(two, 1);
  expect([heard, following?.isEnded]).toEqual([["2 b"], false]);
  const texts = Array.from({ length: 50 }, (_, index) => `${index + 3} ${"x".repeat(index * 100)}`);
  for (const [index, text] of texts.entries()) {
    one.append(stream, index + 3, text.slice(text.indexOf(" ") + 1));
    if (index % 7 === 0) await written(one);
  }
  one.end(stream);
  await vi.waitFor(() => expect(heard.at(-1)).toBe("end"));
  expect(heard).toEqual(["2 b", ...texts, "end"]);
  const again = await follow(two, 51);
  expect([again.heard, again.following?.isEnded]).toEqual([[texts[49]], true]);
});

test("calls no follower after it stopped, and unsubscribes", async () => {
  const [one, two] = [await open(), await open()];
  fill(one, []);
  await written(one);
  const { heard, following } = await follow(two);
  following?.stop();
  await vi.waitFor(async () => expect(await one.connection.publish("events:s:a", "")).toBe(0));
  one.append(stream, 1, "a");
  one.end(stream);
  await written(one);
  expect(heard).toEqual([]);
});

test("finds a stream by session and name as soon as it has begun", async () => {
  const [one, two] = [await open(), await open()];
  one.append(stream, 1, "a");
  one.end(stream);
  await written(one);
  expect((await follow(two)).following).toBeUndefined();
  fill(one, ["a"]);
  await written(one);
  for (const other of [
    { sessionId: "t", streamId: "a" },
    { sessionId: "s", streamId: "b" },
  ])
    expect((await follow(two, 0, other)).following).toBeUndefined();
  one.end(stream);
});

test("ends the followers of a stream whose process died, and reports it as lost to a client that resumes", async () => {
  const [one, two] = [await open({ leaseMs: 600 }), await open({ leaseMs: 600 })];
  fill(one, ["a"]);
  await written(one);
  const { heard, following } = await follow(two);
  expect(following?.isEnded).toBe(false);
  one.connection.close();
  await vi.waitFor(() => expect(heard).toEqual(["1 a", "end"]), 8_000);
  expect(await follow(two)).toEqual({ heard: ["1 a"], following: undefined });
});

test("sends heartbeats only while a stream is open", async () => {
  const one = await open({ leaseMs: 60 });
  const set = vi.spyOn(one.connection.client, "set");
  fill(one, []);
  await vi.waitFor(() => expect(set.mock.calls.length).toBeGreaterThan(2));
  one.end(stream);
  await vi.waitFor(
    async () => expect(await one.connection.client.keys(one.connection.nameOf("alive*"))).toEqual([]),
    3_000,
  );
});

test("keeps the newest events, no large event, and no stream above the limit", async () => {
  const one = await open({ maxEvents: 3, maxBytes: 100, maxStreams: 1 });
  fill(one, ["a", "b", "c", "d", "x".repeat(100), "f"]);
  const other = { sessionId: "s", streamId: "b" };
  one.begin(other);
  one.append(other, 1, "a");
  one.end(other);
  one.end(stream);
  await written(one);
  expect((await follow(one)).heard).toEqual(["3 c", "4 d", "6 f"]);
  expect((await follow(one, 0, other)).following).toBeUndefined();
});

test("deletes a stream some time after its end, and keeps an open one", async () => {
  const one = await open({ maxAgeMs: 50 });
  const key = one.connection.nameOf("events:s:a");
  fill(one, ["a"]);
  expect(await one.connection.client.pttl(key)).toBeGreaterThan(3_000_000);
  one.end(stream);
  await vi.waitFor(async () => expect(await one.connection.client.exists(key)).toBe(0));
  expect((await follow(one)).following).toBeUndefined();
});

test("without the keys, events can be neither read nor moved", async () => {
  const one = await open();
  fill(one, ["secret", "other"]);
  const key = one.connection.nameOf("events:s:a");
  const entries = await one.connection.client.xrange(key, "-", "+");
  expect(JSON.stringify(entries)).not.toContain("secret");
  const sealed = entries[1]?.[1].at(-1) ?? "";
  await one.connection.client.xadd(key, "3-1", "o", "x", "d", sealed);
  one.append(stream, 4, "after");
  await written(one);
  expect((await follow(one)).heard).toEqual(["1 secret", "2 other", "4 after"]);
  one.end(stream);
});

test("rejects while Redis is away, and followers continue afterwards", async () => {
  const own = await start();
  const [one, two] = [await open({ leaseMs: 300 }, own), await open({ leaseMs: 300 }, own)];
  fill(one, ["a"]);
  await written(one);
  const { heard } = await follow(two);
  const connections = [one.connection, two.connection];
  await Promise.all([own.stop(), ...connections.map(({ client }) => once(client, "close"))]);
  one.append(stream, 2, "lost");
  await expect(Promise.resolve(one.follow(stream, 0, { event() {}, end() {} }))).rejects.toThrow();
  await start(own.port);
  await vi.waitFor(() => expect(connections.map(({ isUp }) => isUp)).toEqual([true, true]), 10_000);
  one.append(stream, 3, "b");
  one.end(stream);
  await vi.waitFor(() => expect(heard.at(-1)).toBe("end"), 3_000);
  expect(heard[0]).toBe("1 a");
});
