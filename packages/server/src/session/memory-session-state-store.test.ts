// The bound of the session store in memory.
import { expect, it } from "vitest";
import { createMemorySessionStateStore } from "./memory-session-state-store.ts";

it("drops the session that was not written for the longest time when it is full", async () => {
  const store = createMemorySessionStateStore({ maxSessions: 2 });
  const write = async (key: string) =>
    store.write(key, "1", { expected: (await store.read(key))?.version ?? 0, ttlMs: 60_000 });
  for (const key of ["a", "b", "a", "c"]) expect(await write(key)).toBe(true);
  const found = await Promise.all(["a", "b", "c"].map(async (key) => (await store.read(key)) !== undefined));
  expect(found).toEqual([true, false, true]);
});
