// The part of the contract of TaskStore that several processes with the same database rely on.
import type { StoredTask } from "../tasks/stored-task.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { contentOf, entryOf, handBack, idsAcquiredBy, manyTasks, shortLeaseMs, taskOf } from "./sample-tasks.ts";
import { requireEqual, requireEventually, requireRejection, type TestRunner } from "./test-runner.ts";

export function describeSharedTaskStore(
  { it }: TestRunner,
  open: () => TaskStore | Promise<TaskStore>,
  openAgain: () => TaskStore | Promise<TaskStore>,
): void {
  function test(name: string, body: (one: TaskStore, other: TaskStore) => Promise<void>): void {
    it(name, async () => {
      const one = await open();
      const other = await openAgain();
      try {
        await body(one, other);
      } finally {
        await other.close();
        await one.close();
      }
    });
  }

  test("is durable if several processes can open it, so that they recover each other's tasks", async (one, other) => {
    requireEqual([one.isDurable, other.isDurable], [true, true]);
  });

  test("shows every process the tasks of the others at once, and limits their sum", async (one, other) => {
    await one.create(taskOf("t", { owner: "ann" }), contentOf("w"));
    requireEqual((await other.read("t"))?.owner, "ann");
    await other.update("t", (task) => ({ ...task, statusMessage: "half" }));
    requireEqual((await one.read("t"))?.statusMessage, "half");
    const limits = { ...manyTasks, maxTasks: 1 };
    const tooMany = await requireRejection(other.create(taskOf("u"), contentOf("v", { limits })));
    requireEqual(tooMany.message.includes("at most 1 tasks"), true);
  });

  test("loses no update when two processes update a task concurrently", async (one, other) => {
    await one.create(taskOf("t", { statusMessage: "" }), contentOf("w"));
    const add = (task: StoredTask) => ({ ...task, statusMessage: `${task.statusMessage}x` });
    await Promise.all(Array.from({ length: 40 }, (_, step) => (step % 2 === 0 ? one : other).update("t", add)));
    requireEqual((await one.read("t"))?.statusMessage, "x".repeat(40));
  });

  test("gives each waiting task to one of two workers", async (one, other) => {
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    for (const id of ids) {
      await one.create(taskOf(id), contentOf("creator"));
      await one.update(id, handBack);
    }
    const acquired = await Promise.all(
      Array.from({ length: 10 }, (_, step) =>
        idsAcquiredBy(step % 2 === 0 ? one : other, `w${step % 2}`, { limit: 3 }),
      ),
    );
    requireEqual(acquired.flat().sort(), ids.sort());
  });

  test("gives a task to the other process when the lease of its worker has expired", async (one, other) => {
    await one.create(taskOf("t"), contentOf("w", { entries: [entryOf("one")], leaseMs: shortLeaseMs }));
    await requireEventually(() => idsAcquiredBy(other, "v", { leaseMs: shortLeaseMs }), ["t"]);
    requireEqual(await one.append({ taskId: "t", fence: 1 }, 1, [entryOf("two")]), undefined);
    requireEqual(await other.append({ taskId: "t", fence: 2 }, 1, [entryOf("two")]), 2);
  });
}
