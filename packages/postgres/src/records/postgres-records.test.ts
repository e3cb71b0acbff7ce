import { createKeyRing } from "@lethe/server/stores";
import { expect, test, vi } from "vitest";
import { keys as ownKeys, usePostgres } from "../testing/own-postgres.ts";
import { createPostgresRecords } from "./postgres-records.ts";

const { connect } = usePostgres();
const keys = createKeyRing(ownKeys);
const ttlMs = 60_000;

test("a record is read by every process, and replaced only by a process that has read its version", async () => {
  const open = async () => createPostgresRecords(await connect(), { keys, purpose: "test" });
  const [one, two] = [await open(), await open()];
  expect(await one.read("a")).toBeUndefined();
  expect(await one.write("a", { n: 1 }, { version: 0, ttlMs })).toBe(true);
  expect(await two.write("a", { n: 2 }, { version: 0, ttlMs })).toBe(false);
  expect(await two.read("a")).toEqual({ value: { n: 1 }, version: 1 });
  const both = await Promise.all([one, two].map((records) => records.write("a", { n: 3 }, { version: 1, ttlMs })));
  expect(both.filter((won) => won)).toHaveLength(1);
  expect(await one.read("a")).toEqual({ value: { n: 3 }, version: 2 });
});

test("a record belongs to its key, version and keys", async () => {
  const postgres = await connect();
  const records = await createPostgresRecords(postgres, { keys, purpose: "test" });
  await records.write("a", { secret: "hidden" }, { version: 0, ttlMs });
  const change = (text: string) => postgres.run({ name: `test_${text.length}`, text }, [postgres.prefix]);
  await change(
    "INSERT INTO lethe.records SELECT prefix, 'test b', version, value, expires_at FROM lethe.records WHERE prefix = $1",
  );
  expect(await records.read("b")).toBeUndefined();
  await change("UPDATE lethe.records SET version = 2 WHERE prefix = $1");
  expect(await records.read("a")).toBeUndefined();
  await change("UPDATE lethe.records SET version = 1  WHERE prefix = $1");
  expect(await records.read("a")).toMatchObject({ value: { secret: "hidden" } });
  const others = createKeyRing(`k9:${Buffer.alloc(32, 9).toString("base64url")}`);
  const strange = await createPostgresRecords(postgres, { keys: others, purpose: "test" });
  expect(await strange.read("a")).toBeUndefined();
});

test("a record expires and can then be created again, and one that is too large is rejected", async () => {
  const records = await createPostgresRecords(await connect(), { keys, purpose: "test", maxRecordBytes: 20 });
  await records.write("a", {}, { version: 0, ttlMs: 20 });
  await vi.waitFor(async () => expect(await records.read("a")).toBeUndefined());
  expect(await records.write("a", { n: 2 }, { version: 0, ttlMs })).toBe(true);
  await expect(records.write("b", { text: "x".repeat(20) }, { version: 0, ttlMs })).rejects.toThrow(RangeError);
});
