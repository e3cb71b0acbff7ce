import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { keys as ownKeys, useRedis } from "../testing/own-redis.ts";
import { createRedisRecords } from "./redis-records.ts";

const { connect } = useRedis();
const keys = createKeyRing(ownKeys);
const ttlMs = 60_000;

test("a record is read by every process, and replaced only by a process that has read its version", async () => {
  const [one, two] = await Promise.all(
    [1, 2].map(async () => createRedisRecords(await connect(), { keys, purpose: "test" })),
  );
  expect(await one?.read("a")).toBeUndefined();
  expect(await one?.write("a", { n: 1 }, { version: 0, ttlMs })).toBe(true);
  expect(await two?.write("a", { n: 2 }, { version: 0, ttlMs })).toBe(false);
  expect(await two?.read("a")).toEqual({ value: { n: 1 }, version: 1 });
  const both = await Promise.all([one, two].map((records) => records?.write("a", { n: 3 }, { version: 1, ttlMs })));
  expect(both.filter((won) => won)).toHaveLength(1);
  expect(await one?.read("a")).toEqual({ value: { n: 3 }, version: 2 });
});

test("a record is encrypted, belongs to its key, version and purpose, and cannot be read with other keys", async () => {
  const connection = await connect();
  const records = await createRedisRecords(connection, { keys, purpose: "test" });
  await records.write("a", { secret: "hidden" }, { version: 0, ttlMs });
  const name = connection.nameOf("test:a");
  const sealed = (await connection.client.call("HGET", name, "value")) as string;
  expect(Buffer.from(sealed.split(".")[1] as string, "base64").toString("latin1")).not.toContain("hidden");
  await connection.client.call("HSET", connection.nameOf("test:b"), "version", 1, "value", sealed);
  expect(await records.read("b")).toBeUndefined();
  await connection.client.call("HSET", name, "version", 2);
  expect(await records.read("a")).toBeUndefined();
  await connection.client.call("HSET", name, "version", 1);
  expect(await records.read("a")).toMatchObject({ value: { secret: "hidden" } });
  const others = createKeyRing(`k9:${Buffer.alloc(32, 9).toString("base64url")}`);
  const strange = await createRedisRecords(connection, { keys: others, purpose: "test" });
  expect(await strange.read("a")).toBeUndefined();
});

test("a record expires, and one that is too large is rejected", async () => {
  const records = await createRedisRecords(await connect(), { keys, purpose: "test", maxRecordBytes: 20 });
  await records.write("a", {}, { version: 0, ttlMs: 20 });
  await vi.waitFor(async () => expect(await records.read("a")).toBeUndefined());
  await expect(records.write("a", { text: "x".repeat(20) }, { version: 0, ttlMs })).rejects.toThrow(RangeError);
});
