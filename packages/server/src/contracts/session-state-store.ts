// The contract of SessionStateStore as a test suite.
import type { SessionStateStore } from "../session/session-state-store.ts";
import { requireEqual, requireEventually, type TestRunner } from "./test-runner.ts";

const ttlMs = 60_000;

/**
 * Defines the tests that every implementation of SessionStateStore must pass. `open` creates an empty store for each test.
 *
 * @example
 * import { createMemorySessionStateStore, describeSessionStateStore } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeSessionStateStore({ it: (_, body) => tests.push(body) }, () => createMemorySessionStateStore());
 * for (const run of tests) await run();
 */
export function describeSessionStateStore(
  { it }: TestRunner,
  open: () => SessionStateStore | Promise<SessionStateStore>,
): void {
  const versionOf = async (store: SessionStateStore, key: string): Promise<number> =>
    (await store.read(key))?.version ?? 0;

  it("returns what was written last, with a version that increases", async () => {
    const store = await open();
    requireEqual(await store.read("a"), undefined);
    requireEqual(await store.write("a", '{"n":1}', { expected: 0, ttlMs }), true);
    const first = await versionOf(store, "a");
    requireEqual(await store.write("a", '{"n":"ü"}', { expected: first, ttlMs }), true);
    const second = await store.read("a");
    requireEqual([second?.text, (second?.version ?? 0) > first, first > 0], ['{"n":"ü"}', true, true]);
  });

  it("lets one of several concurrent writes of the same version succeed", async () => {
    const store = await open();
    const begin = ["1", "2", "3"].map((text) => store.write("a", text, { expected: 0, ttlMs }));
    requireEqual((await Promise.all(begin)).filter(Boolean).length, 1);
    const expected = await versionOf(store, "a");
    const change = ["4", "5", "6"].map((text) => store.write("a", text, { expected, ttlMs }));
    requireEqual((await Promise.all(change)).filter(Boolean).length, 1);
  });

  it("keeps sessions with different keys apart", async () => {
    const store = await open();
    await store.write("a", "1", { expected: 0, ttlMs });
    requireEqual(await store.read("b"), undefined);
    requireEqual(await store.write("b", "2", { expected: 0, ttlMs }), true);
    requireEqual((await store.read("a"))?.text, "1");
  });

  it("deletes a session of the expected version only", async () => {
    const store = await open();
    await store.write("a", "1", { expected: 0, ttlMs });
    const version = await versionOf(store, "a");
    requireEqual(await store.delete("a", version + 1), false);
    requireEqual(await store.delete("a", version), true);
    requireEqual([await store.read("a"), await store.delete("a", version)], [undefined, false]);
  });

  it("forgets a session after its lifetime, and a new one has a higher version", async () => {
    const store = await open();
    await store.write("a", "1", { expected: 0, ttlMs: 40 });
    const version = await versionOf(store, "a");
    await requireEventually(() => store.read("a"), undefined);
    requireEqual(await store.write("a", "2", { expected: 0, ttlMs }), true);
    requireEqual((await versionOf(store, "a")) > version, true);
  });
}
