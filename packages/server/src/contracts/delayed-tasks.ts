// The part of the contract of TaskStore about tasks that wait until a time, such as those whose handler sleeps.
import type { StoredTask } from "../tasks/stored-task.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { contentOf, handBack, idsAcquiredBy, requestOf, taskOf } from "./sample-tasks.ts";
import type { Test } from "./task-journals.ts";
import { requireEqual, requireEventually } from "./test-runner.ts";

const hourMs = 3_600_000;

async function createDelayed(store: TaskStore, taskId: string, delayMs: number, priority = 0): Promise<void> {
  await store.create(taskOf(taskId, { priority }), contentOf("w"));
  await store.update(taskId, (task) => ({ ...handBack(task), delayMs, ttlMs: task.ttlMs + delayMs }));
}

export function describeDelayedTasks(test: Test): void {
  test("a delayed task lives, but neither waits nor runs", async (store) => {
    await createDelayed(store, "t", hourMs);
    requireEqual(await idsAcquiredBy(store, "v"), []);
    requireEqual(await idsAcquiredBy(store, "v", { taskId: "t" }), []);
    requireEqual(await store.counts(), { running: 0, waiting: 0, oldestWaitingMs: 0, live: 1, ended: 0 });
  });

  test("a delayed task is acquired by any worker at the end of its delay by the clock of the store, and not before", async (store) => {
    let dueAt = 0;
    await store.create(taskOf("t"), contentOf("w"));
    await store.update("t", (task, now) => {
      dueAt = now + 60;
      return { ...handBack(task), delayMs: 60 };
    });
    const acquired = await requireEventuallyAcquired(store);
    requireEqual([acquired.task.worker, acquired.task.fence], ["v", 2]);
    const { createdAt, ttlMs } = acquired.task;
    requireEqual(createdAt + ttlMs - acquired.expiresInMs >= dueAt, true);
  });

  test("an update without a delay keeps the end of the delay of a waiting task, and one with a delay sets it", async (store) => {
    await createDelayed(store, "t", hourMs);
    await store.update("t", (task) => ({ ...task, statusMessage: "asleep", deaths: 0 }));
    requireEqual(await idsAcquiredBy(store, "v"), []);
    await store.update("t", (task) => ({ ...task, delayMs: 0 }));
    requireEqual(await idsAcquiredBy(store, "v"), ["t"]);
  });

  test("an update of a task that waits without a delay keeps its place", async (store) => {
    for (const id of ["a", "b"]) {
      await store.create(taskOf(id), contentOf("w"));
      await store.update(id, handBack);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    await store.update("a", (task) => ({ ...task, statusMessage: "still first" }));
    requireEqual(await idsAcquiredBy(store, "v"), ["a", "b"]);
  });

  test("delayed tasks of any priority hold up no other task", async (store) => {
    for (const priority of [9, 5, 0]) await createDelayed(store, `later ${priority}`, hourMs, priority);
    await store.create(taskOf("low"), contentOf("w"));
    await store.create(taskOf("high", { priority: 5 }), contentOf("w"));
    for (const id of ["low", "high"]) await store.update(id, handBack);
    requireEqual(await idsAcquiredBy(store, "v", { limit: 2 }), ["high", "low"]);
  });

  test("a cancelled task is not acquired at the end of its delay, and leaves no place in a queue", async (store) => {
    await createDelayed(store, "t", 40);
    await createDelayed(store, "last", 80);
    await store.update("t", (task): StoredTask => ({ ...task, status: "cancelled" }));
    await requireEventually(() => idsAcquiredBy(store, "v"), ["last"]);
    requireEqual((await store.read("t"))?.status, "cancelled");
    requireEqual((await store.counts()).waiting, 0);
  });

  test("a worker that dies after a delay loses the task without a further delay of that length", async (store) => {
    await createDelayed(store, "t", 20);
    await requireEventuallyAcquired(store);
    await store.retire("v");
    requireEqual(await idsAcquiredBy(store, "u"), ["t"]);
  });
}

async function requireEventuallyAcquired(store: TaskStore) {
  for (;;) {
    const [acquired] = await store.acquire("v", requestOf());
    if (acquired) return acquired;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
