// The notes of workers about their room, and the question whether a session has an owner, through their parent.
import { expect, test } from "vitest";
import { createLinkedWorkers } from "./testing/linked-workers.ts";
import { WorkerDirectory } from "./worker-directory.ts";
import { WorkerNotes } from "./worker-notes.ts";

const options = { ttlMs: 60_000, max: 100 };

async function startWorkers(count: number) {
  const workers = createLinkedWorkers();
  const links = await Promise.all(Array.from({ length: count }, () => workers.join()));
  const directories = links.map((link) => {
    return new WorkerDirectory({ link, dispatchAt: () => undefined, onProblem: () => {} });
  });
  return { workers, links, directories: directories as [WorkerDirectory, WorkerDirectory, WorkerDirectory] };
}

test("returns the notes of the other workers, and the newest of each", async () => {
  const { directories } = await startWorkers(3);
  const [one, two, three] = directories;
  expect(await one.placement.exchange("old", options)).toEqual(new Map());
  await one.placement.exchange("of one", options);
  await two.placement.exchange("of two", options);
  expect(await three.placement.exchange("of three", options)).toEqual(
    new Map([
      [one.self, "of one"],
      [two.self, "of two"],
    ]),
  );
});

test("forgets the note of a worker that leaves, and of one that was killed", async () => {
  const { workers, links, directories } = await startWorkers(3);
  const [one, two, three] = directories;
  await one.placement.exchange("of one", options);
  await two.placement.exchange("of two", options);
  await one.leave(0);
  workers.kill(links[1] as (typeof links)[0]);
  expect(await three.placement.exchange("of three", options)).toEqual(new Map());
});

test("forgets a note after its time", () => {
  let now = 0;
  const notes = new WorkerNotes(() => now);
  notes.exchange("one", "of one", 4_000);
  now = 3_999;
  expect(notes.exchange("two", "of two", 4_000)).toEqual([["one", "of one"]]);
  now = 4_000;
  expect(notes.exchange("two", "of two", 4_000)).toEqual([]);
});

test("says whether a session has an owner, and acquires nothing", async () => {
  const { directories } = await startWorkers(2);
  const [one, two] = directories;
  expect(await two.placement.isOwned("a")).toBe(false);
  await one.acquire("a");
  expect([await one.placement.isOwned("a"), await two.placement.isOwned("a")]).toEqual([true, true]);
  expect(two.leases).toBe(0);
  one.release("a");
  await one.placement.exchange("after the release", options);
  expect(await two.placement.isOwned("a")).toBe(false);
});
