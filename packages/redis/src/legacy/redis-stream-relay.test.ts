import { once } from "node:events";
import type { RelayedPost, StreamRelay } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { keys, useRedis } from "../testing/own-redis.ts";
import { createRedisStreamRelay } from "./redis-stream-relay.ts";

const { connect, start } = useRedis();

interface Process extends StreamRelay {
  connection: RedisConnection;
  heard: RelayedPost[];
}

async function open(url?: string): Promise<Process> {
  const connection = await connect(url === undefined ? {} : { url });
  const relay = await createRedisStreamRelay(connection, { keys });
  const heard: RelayedPost[] = [];
  relay.listen((post) => heard.push(post));
  return { ...relay, connection, heard };
}

const postOf = (message: unknown): RelayedPost => ({
  sessionId: "a.s",
  message,
  caller: { id: "ann" },
  isAnonymous: false,
});

test("delivers posts with their caller to the addressed process, in order and once", async () => {
  const [one, two, three] = [await open(), await open(), await open()];
  const posts = Array.from({ length: 50 }, (_, n) => postOf({ id: n, text: "x".repeat(n * 100) }));
  const sent = await Promise.all(posts.map((post) => one.send(two.address, post)));
  expect(new Set(sent)).toEqual(new Set([true]));
  await vi.waitFor(() => expect(two.heard).toEqual(posts));
  expect([one.heard, three.heard]).toEqual([[], []]);
});

test("reports a stopped process, and calls no stopped listener", async () => {
  const [one, two] = [await open(), await open()];
  const heard = vi.fn();
  two.listen(heard)();
  expect(await one.send(two.address, postOf(1))).toBe(true);
  await vi.waitFor(() => expect(two.heard).toHaveLength(1));
  expect(heard).not.toHaveBeenCalled();
  two.connection.close();
  await vi.waitFor(async () => expect(await one.send(two.address, postOf(2))).toBe(false));
});

test("ignores forged and replayed posts", async () => {
  const [one, two, three] = [await open(), await open(), await open()];
  const spy = await connect();
  const texts: string[] = [];
  await spy.subscribe(`posts:${two.address}`, (text) => texts.push(text));
  await one.send(two.address, postOf("secret"));
  await vi.waitFor(() => expect([texts.length, two.heard.length]).toEqual([1, 1]));
  const [sealed = ""] = texts;
  expect(sealed).not.toContain("secret");
  const forged = JSON.stringify({ from: "x", number: 9, post: postOf("forged") });
  for (const { address } of [two, three])
    for (const text of [sealed, forged]) await spy.publish(`posts:${address}`, text);
  for (const { address } of [two, three]) await one.send(address, postOf("last"));
  await vi.waitFor(() => expect(three.heard).toEqual([postOf("last")]));
  expect(two.heard).toEqual([postOf("secret"), postOf("last")]);
});

test("rejects posts while Redis is away", async () => {
  const own = await start();
  const one = await open(own.url);
  await Promise.all([own.stop(), once(one.connection.client, "close")]);
  await expect(one.send("other", postOf(1))).rejects.toThrow();
});
