// The contract of SingleUseStore as a test suite.
import type { Round, SingleUseStore } from "../seal/single-use-store.ts";
import { requireEqual, type TestRunner } from "./test-runner.ts";

/**
 * Defines the tests that every implementation of SingleUseStore must pass. `open` creates an empty store for each test.
 *
 * @example
 * import { createMemorySingleUseStore, describeSingleUseStore } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeSingleUseStore({ it: (_, body) => tests.push(body) }, () => createMemorySingleUseStore());
 * for (const run of tests) await run();
 */
export function describeSingleUseStore({ it }: TestRunner, open: () => SingleUseStore | Promise<SingleUseStore>): void {
  it("lets one of several concurrent requests claim a round", async () => {
    const [store, round] = [await open(), roundOf("a")];
    const claims = await Promise.all([store.claim(round), store.claim(round), store.claim(round)]);
    requireEqual(claims.map(({ status }) => status).sort(), ["claimed", "running", "running"]);
  });

  it("returns the answer to an identical request, and rejects other inputs", async () => {
    const [store, round] = [await open(), roundOf("a")];
    await store.claim(round);
    await store.settle(round, "answer");
    requireEqual(await store.claim(round), { status: "answered", answer: "answer" });
    requireEqual(await store.claim({ ...round, inputs: "no" }), { status: "used" });
  });

  it("allows another claim after a release", async () => {
    const [store, round] = [await open(), roundOf("a")];
    await store.claim(round);
    await store.release(round);
    requireEqual(await store.claim({ ...round, inputs: "no" }), { status: "claimed" });
  });

  it("keeps rounds with different ids apart", async () => {
    const store = await open();
    await store.claim(roundOf("a"));
    requireEqual(await store.claim(roundOf("b")), { status: "claimed" });
  });
}

function roundOf(id: string): Round {
  return { id, callerId: "ann", expiresAt: Date.now() + 60_000, inputs: "yes" };
}
