// The contract of Directory as a test suite.
import type { Directory } from "../replicas/directory.ts";
import { requireEqual, requireEventually, type TestRunner } from "./test-runner.ts";

/**
 * Defines the tests that every implementation of Directory must pass. `open` creates the directory of one replica.
 *
 * @example
 * import { createLocalDirectory, describeDirectory } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeDirectory({ it: (_, body) => tests.push(body) }, () => createLocalDirectory());
 * for (const run of tests) await run();
 */
export function describeDirectory({ it }: TestRunner, open: () => Directory | Promise<Directory>): void {
  it("gives a free session to the replica that acquires it", async () => {
    const directory = await open();
    requireEqual((await directory.acquire("a")).owner, directory.self);
    requireEqual((await directory.acquire("a")).owner, directory.self);
  });

  it("reports no former owner of a session that is new, still owned or cleanly released", async () => {
    const directory = await open();
    requireEqual((await directory.acquire("a")).formerOwner, undefined);
    requireEqual((await directory.acquire("a")).formerOwner, undefined);
    directory.release("a");
    requireEqual((await directory.acquire("a")).formerOwner, undefined);
  });

  it("holds an acquired session and can acquire it again after a release", async () => {
    const directory = await open();
    await directory.acquire("a");
    requireEqual(directory.holds?.("a") ?? true, true);
    directory.release("a");
    requireEqual((await directory.acquire("a")).owner, directory.self);
  });

  it("says whether a session has an owner, and acquires nothing, if it tells the room of replicas", async () => {
    const directory = await open();
    const { placement } = directory;
    if (!placement) return;
    requireEqual(await placement.isOwned("a"), false);
    await directory.acquire("a");
    requireEqual(await placement.isOwned("a"), true);
    directory.release("a");
    await requireEventually(() => placement.isOwned("a"), false);
  });

  it("returns no own note, if it tells the room of replicas", async () => {
    const { placement } = await open();
    const notes = await placement?.exchange("mine", { ttlMs: 60_000, max: 10 });
    requireEqual([...(notes?.values() ?? [])].includes("mine"), false);
  });

  it("does not reach a replica that does not exist", async () => {
    const directory = await open();
    requireEqual((await directory.reach(crypto.randomUUID(), "/mcp")) === undefined, true);
  });
}
