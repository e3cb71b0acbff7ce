// The notes of replicas about their room, and the question whether a session has an owner, with a real Redis.
import { expect, test, vi } from "vitest";
import { useReplicas } from "../testing/replicas.ts";

const startReplicas = useReplicas();
const options = { ttlMs: 60_000, max: 100 };

test("returns the notes of all other replicas, and the newest of each", async () => {
  const { join } = await startReplicas();
  const [one, two, three] = [await join(), await join(), await join()];
  expect(await one.placement.exchange("old", options)).toEqual(new Map());
  await one.placement.exchange("of one", options);
  expect(await two.placement.exchange("of two", options)).toEqual(new Map([[one.self, "of one"]]));
  expect(await three.placement.exchange("of three", options)).toEqual(
    new Map([
      [one.self, "of one"],
      [two.self, "of two"],
    ]),
  );
});

test("returns no more notes than asked for", async () => {
  const { join } = await startReplicas();
  const replicas = await Promise.all([1, 2, 3, 4].map(() => join()));
  for (const { placement, self } of replicas) await placement.exchange(self, options);
  const notes = await replicas[0]?.placement.exchange("mine", { ...options, max: 2 });
  expect(notes?.size).toBe(2);
  expect(notes?.has(replicas[0]?.self ?? "")).toBe(false);
});

test("forgets a note after its time, and that of a replica that has left", async () => {
  const { join } = await startReplicas();
  const [one, two, three] = [await join(), await join(), await join()];
  await one.placement.exchange("short", { ...options, ttlMs: 1 });
  await two.placement.exchange("of two", options);
  await vi.waitFor(async () =>
    expect([...(await three.placement.exchange("of three", options)).values()]).toEqual(["of two"]),
  );
  await two.leave(0);
  expect(await three.placement.exchange("of three", options)).toEqual(new Map());
});

test("says whether a session has an owner, and acquires nothing", async () => {
  const { join } = await startReplicas();
  const [one, two] = [await join(), await join()];
  expect(await two.placement.isOwned("a")).toBe(false);
  expect((await one.acquire("a")).owner).toBe(one.self);
  expect([await one.placement.isOwned("a"), await two.placement.isOwned("a")]).toEqual([true, true]);
  expect(two.leases).toBe(0);
  one.release("a");
  await vi.waitFor(async () => expect(await two.placement.isOwned("a")).toBe(false));
});

test("does not take the session of a replica that has left for owned", async () => {
  const { join } = await startReplicas();
  const [one, two] = [await join(), await join()];
  await one.acquire("a");
  await one.leave(0);
  expect(await two.placement.isOwned("a")).toBe(false);
});

test("asks Redis nothing about a session whose owner is remembered", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const [one, two] = [await join(), await join({ connection })];
  await one.acquire("a");
  expect((await two.acquire("a")).owner).toBe(one.self);
  const evalsha = vi.spyOn(connection.client, "evalsha");
  expect(await two.placement.isOwned("a")).toBe(true);
  expect(evalsha).not.toHaveBeenCalled();
});

test("sends one script for an exchange, and none before the first", async () => {
  const { join, connect } = await startReplicas();
  const connection = await connect();
  const evalsha = vi.spyOn(connection.client, "evalsha");
  const { placement } = await join({ connection });
  await placement.exchange("a", options);
  const keys = () => evalsha.mock.calls.flatMap(([, , first]) => (String(first).includes("room:") ? [first] : []));
  expect(keys()).toHaveLength(1);
  await placement.exchange("b", options);
  expect(keys()).toHaveLength(2);
});

test("rejects while Redis is away", async () => {
  const { join, redis } = await startReplicas();
  const { placement } = await join();
  await redis.stop();
  await expect(placement.exchange("a", options)).rejects.toThrow();
  await expect(placement.isOwned("a")).rejects.toThrow();
});
