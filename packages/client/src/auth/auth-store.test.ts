import { expect, test } from "vitest";
import { createAuthKeys, createMemoryAuthStore } from "./auth-store.ts";

test("the least recently used entry is dropped first", async () => {
  const store = createMemoryAuthStore({ maxEntries: 2 });
  await store.save("a", { n: 1 });
  await store.save("b", { n: 2 });
  await store.load("a");
  await store.save("c", { n: 3 });
  expect([await store.load("a"), await store.load("b"), await store.load("c")]).toEqual([
    { n: 1 },
    undefined,
    { n: 3 },
  ]);
  await store.delete("a");
  expect(await store.load("a")).toBeUndefined();
});

test("tasks under one key run one after the other, even after a failure", async () => {
  const { exclusively } = createMemoryAuthStore();
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    if (name === "b") throw new Error("b failed");
    return name;
  };
  const results = await Promise.allSettled(["a", "b", "c"].map((name) => exclusively?.("k", task(name))));
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("another issuer, resource or account has another key", () => {
  const keys = [createAuthKeys(""), createAuthKeys("a")].flatMap(({ client, pin, server, tokens }) => [
    client("x"),
    client("y"),
    pin("x"),
    server("x"),
    tokens("x", "y"),
    tokens("xy", ""),
    tokens("y", "x"),
  ]);
  expect(new Set(keys).size).toBe(keys.length);
});
