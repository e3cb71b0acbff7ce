// The part of the contract of TaskStore about arguments and journals.
import type { JournalEntry } from "../interaction/journal.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { contentOf, entryOf, handBack, requestOf, taskOf } from "./sample-tasks.ts";
import { requireEqual } from "./test-runner.ts";

/** Defines a test with a store of its own. */
export type Test = (name: string, body: (store: TaskStore) => Promise<void>) => void;

export function describeTaskJournals(test: Test): void {
  test("gives the arguments and the journal to the worker that acquires a task", async (store) => {
    await store.create(taskOf("t"), contentOf("w", { entries: [entryOf("one")] }));
    await store.append({ taskId: "t", fence: 1 }, 1, [entryOf("two"), entryOf("three")]);
    await store.update("t", handBack);
    const [acquired] = await store.acquire("v", requestOf());
    requireEqual(acquired?.entries, ["one", "two", "three"].map(entryOf));
    requireEqual(acquired?.work, contentOf("w").work);
    requireEqual([acquired?.task.worker, acquired?.task.fence], ["v", 2]);
    requireEqual((acquired?.expiresInMs ?? 0) > 0 && (acquired?.expiresInMs ?? 0) <= 60_000, true);
  });

  test("keeps each kind of entry with all its members, which errors of a replay show", async (store) => {
    const entries: readonly JournalEntry[] = [
      { kind: "answer", key: "a", digest: "d", value: { action: "decline" }, label: 'elicit "How many?"' },
      { kind: "once", key: "o", value: [1] },
      { kind: "auto", key: "1", value: "2026" },
      { kind: "once", key: "nothing" },
      { kind: "callback", key: "callback 1", value: { body: { approved: true } } },
      { kind: "sleep", key: "1" },
    ];
    await store.create(taskOf("t"), contentOf("w", { entries: entries.slice(0, 1) }));
    await store.append({ taskId: "t", fence: 1 }, 1, entries.slice(1));
    await store.update("t", handBack);
    const [acquired] = await store.acquire("v", requestOf());
    requireEqual(acquired?.entries, entries);
  });

  test("appends an entry once, even if the call is repeated", async (store) => {
    await store.create(taskOf("t"), contentOf("w"));
    const held = { taskId: "t", fence: 1 };
    requireEqual(await store.append(held, 0, [entryOf("one")]), 1);
    requireEqual(await store.append(held, 0, [entryOf("one")]), 1);
    requireEqual(await store.append(held, 0, [entryOf("one"), entryOf("two")]), 2);
    requireEqual(await store.append(held, 5, [entryOf("six")]), 2);
    await store.update("t", handBack);
    const [acquired] = await store.acquire("v", requestOf());
    requireEqual(acquired?.entries, ["one", "two"].map(entryOf));
  });

  test("rejects the writes of an earlier worker", async (store) => {
    await store.create(taskOf("t"), contentOf("w"));
    await store.update("t", handBack);
    requireEqual(await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("one")]), undefined);
    await store.acquire("v", requestOf());
    requireEqual(await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("one")]), undefined);
    requireEqual(await store.update("t", (task) => ({ ...task, statusMessage: "late" }), 1), undefined);
    requireEqual(await store.append({ taskId: "t", fence: 2 }, 0, [entryOf("two")]), 1);
    const ended = await store.update("t", (task) => ({ ...task, status: "completed", result: {} }), 2);
    requireEqual([ended?.status, ended?.worker], ["completed", undefined]);
    requireEqual(await store.append({ taskId: "t", fence: 2 }, 1, [entryOf("three")]), undefined);
    requireEqual(await store.append({ taskId: "other", fence: 1 }, 0, [entryOf("one")]), undefined);
  });
}
