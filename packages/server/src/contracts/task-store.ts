// The contract of TaskStore as a test suite.
import type { StoredTask } from "../tasks/stored-task.ts";
import type { NewTask, TaskStore } from "../tasks/task-store.ts";
import { describeDelayedTasks } from "./delayed-tasks.ts";
import {
  contentOf,
  entryOf,
  handBack,
  idsAcquiredBy,
  longLeaseMs,
  manyTasks,
  shortLeaseMs,
  taskOf,
} from "./sample-tasks.ts";
import { describeSharedTaskStore } from "./shared-task-store.ts";
import { describeTaskJournals, type Test } from "./task-journals.ts";
import { requireEqual, requireEventually, requireRejection, type TestRunner } from "./test-runner.ts";

/** As long as a loaded machine may need for three calls. */
const shortTtlMs = 600;

/**
 * Defines the tests that every implementation of TaskStore must pass. `open` creates an empty store for each test. For a store that
 * several processes may open, `openAgain` opens the database of the last `open` a second time, as another process does.
 *
 * @example
 * import { createMemoryTaskStore, describeTaskStore } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeTaskStore({ it: (_, body) => tests.push(body) }, () => createMemoryTaskStore());
 * for (const run of tests.slice(0, 3)) await run();
 */
export function describeTaskStore(
  { it }: TestRunner,
  open: () => TaskStore | Promise<TaskStore>,
  openAgain?: () => TaskStore | Promise<TaskStore>,
): void {
  function test(name: string, body: (store: TaskStore) => Promise<void>): void {
    it(name, async () => {
      const store = await open();
      try {
        await body(store);
      } finally {
        await store.close();
      }
    });
  }

  describeStates(test);
  describeTaskJournals(test);
  describeDelayedTasks(test);
  describeQueues(test);
  describeLeases(test);
  if (openAgain) describeSharedTaskStore({ it }, open, openAgain);
}

function describeStates(test: Test): void {
  test("reads a task as soon as it was created, with its times and its worker (F-5)", async (store) => {
    const task = taskOf("t", { owner: "ann" });
    const created = await store.create(task, contentOf("w"));
    const { createdAt, lastUpdatedAt, ...rest } = created;
    requireEqual(rest, { ...task, worker: "w", fence: 1, losses: 0, deaths: 0 });
    requireEqual([createdAt > 1e12, createdAt === lastUpdatedAt], [true, true]);
    requireEqual(await store.read("t"), created);
    requireEqual(await store.read("other"), undefined);
  });

  test("keeps keys such as __proto__ like others", async (store) => {
    const inputRequests = JSON.parse('{"__proto__":{"key":"constructor","request":{"method":"roots/list"}}}');
    await store.create(taskOf("__proto__", { inputRequests }), contentOf("w"));
    const read = await store.read("__proto__");
    requireEqual(JSON.stringify(read?.inputRequests), JSON.stringify(inputRequests));
  });

  test("replaces a task by the result of an update, and keeps it when the update returns undefined", async (store) => {
    await store.create(taskOf("t"), contentOf("w"));
    const changed = await store.update("t", (task, now) => ({ ...task, statusMessage: "half", lastUpdatedAt: now }));
    requireEqual([changed?.statusMessage, changed?.worker], ["half", "w"]);
    requireEqual(await store.update("t", () => undefined), undefined);
    requireEqual(await store.update("other", (task) => task), undefined);
    requireEqual((await store.read("t"))?.statusMessage, "half");
  });

  test("loses no concurrent update", async (store) => {
    await store.create(taskOf("t", { statusMessage: "" }), contentOf("w"));
    const add = (task: StoredTask) => ({ ...task, statusMessage: `${task.statusMessage}x` });
    await Promise.all(Array.from({ length: 150 }, () => store.update("t", add)));
    requireEqual((await store.read("t"))?.statusMessage, "x".repeat(150));
  });

  test("ignores changes of the hold in an update, except the removal of the worker", async (store) => {
    await store.create(taskOf("t"), contentOf("w"));
    await store.update("t", (task) => ({ ...task, worker: "thief", fence: 9, losses: 9, deaths: 9 }));
    const { worker, fence, losses, deaths } = (await store.read("t")) as StoredTask;
    requireEqual({ worker, fence, losses, deaths }, { worker: "w", fence: 1, losses: 0, deaths: 0 });
    await store.update("t", handBack);
    requireEqual((await store.read("t"))?.worker, undefined);
    await store.update("t", (task) => ({ ...task, worker: "thief" }));
    requireEqual((await store.read("t"))?.worker, undefined);
  });

  test("limits live and ended tasks, of one caller and of all, apart from each other", async (store) => {
    const limits = { maxTasks: 3, maxTasksPerCaller: 2, maxEnded: 2, maxEndedPerCaller: 1 };
    const create = (id: string, owner?: string) => store.create(taskOf(id, { owner }), contentOf("w", { limits }));
    const end = (id: string) => store.update(id, (task) => ({ ...task, status: "completed", result: {} }));
    await create("a1", "ann");
    await create("a2", "ann");
    const tooMany = await requireRejection(create("a3", "ann"));
    requireEqual(tooMany.message.includes("at most 2 tasks of one caller"), true);
    await create("x1");
    const full = await requireRejection(create("x2"));
    requireEqual(typeof (full.data as { retryAfterMs?: unknown }).retryAfterMs, "number");
    await end("a1");
    requireEqual((await requireRejection(create("a3", "ann"))).message.includes("at most 1 ended"), true);
    await create("b1", "bob");
    await end("x1");
    requireEqual((await requireRejection(create("b2", "bob"))).message.includes("at most 2 ended"), true);
  });

  test("forgets a task after its time to live, which an update may extend, and frees its room (F-17)", async (store) => {
    const limits = { ...manyTasks, maxTasks: 2, maxTasksPerCaller: 1 };
    await store.create(taskOf("long", { ttlMs: shortTtlMs }), contentOf("w", { limits }));
    await store.create(taskOf("short", { ttlMs: shortTtlMs, owner: "ann" }), contentOf("w", { limits }));
    await store.update("long", (task) => ({ ...task, ttlMs: 60_000 }));
    await requireEventually(async () => await store.read("short"), undefined);
    await store.sweep();
    requireEqual(await store.renew("w", longLeaseMs), [{ taskId: "long", fence: 1 }]);
    await store.create(taskOf("next", { owner: "ann" }), contentOf("w", { limits }));
    requireEqual((await store.read("long"))?.taskId, "long");
  });
}

function describeQueues(test: Test): void {
  async function addWaiting(store: TaskStore, taskId: string, changes: Partial<NewTask> = {}): Promise<void> {
    await store.create(taskOf(taskId, changes), contentOf("creator"));
    await store.update(taskId, handBack);
  }

  test("gives waiting tasks of the named lanes to one worker, by priority and then in their order", async (store) => {
    await addWaiting(store, "first");
    await addWaiting(store, "urgent", { priority: 9 });
    await addWaiting(store, "second");
    await addWaiting(store, "elsewhere", { lane: "default/other" });
    requireEqual(await idsAcquiredBy(store, "v", { limit: 2 }), ["urgent", "first"]);
    requireEqual(await idsAcquiredBy(store, "v"), ["second"]);
    requireEqual(await idsAcquiredBy(store, "v", { lanes: [] }), []);
    requireEqual(await idsAcquiredBy(store, "v", { lanes: ["x/y", "default/other"] }), ["elsewhere"]);
  });

  test("does not give out a task that waits for input, has ended or is delayed", async (store) => {
    for (const id of ["asks", "done", "later"]) await store.create(taskOf(id), contentOf("creator"));
    await store.update("asks", (task) => ({ ...task, status: "input_required", worker: undefined }));
    await store.update("done", (task) => ({ ...task, status: "failed", error: { code: 1, message: "no" } }));
    await store.update("later", (task) => ({ ...handBack(task), delayMs: 30_000 }));
    requireEqual(await idsAcquiredBy(store, "v"), []);
    await store.update("asks", (task) => ({ ...task, status: "working" }));
    await store.update("later", (task) => ({ ...task, delayMs: 50 }));
    requireEqual(await idsAcquiredBy(store, "v"), ["asks"]);
    await requireEventually(() => idsAcquiredBy(store, "v"), ["later"]);
  });

  test("acquires one task by its id, in any lane, if it waits", async (store) => {
    await addWaiting(store, "t", { lane: "any/lane" });
    await addWaiting(store, "u", { lane: "any/lane" });
    requireEqual(await idsAcquiredBy(store, "v", { lanes: [], taskId: "t" }), ["t"]);
    requireEqual(await idsAcquiredBy(store, "v", { lanes: [], taskId: "t" }), []);
    requireEqual(await idsAcquiredBy(store, "v", { lanes: ["any/lane"] }), ["u"]);
  });

  test("counts running, waiting, live and ended tasks, and the age of the oldest that waits", async (store) => {
    requireEqual(await store.counts(), { running: 0, waiting: 0, oldestWaitingMs: 0, live: 0, ended: 0 });
    await addWaiting(store, "t");
    for (const id of ["runs", "asks", "done"]) await store.create(taskOf(id), contentOf("creator"));
    await store.update("asks", (task) => ({ ...task, status: "input_required", worker: undefined }));
    await store.update("done", (task) => ({ ...task, status: "cancelled" }));
    const { oldestWaitingMs, ...counts } = await store.counts();
    requireEqual(counts, { running: 1, waiting: 1, live: 3, ended: 1 });
    requireEqual(oldestWaitingMs >= 0 && oldestWaitingMs < 60_000, true);
  });
}

function describeLeases(test: Test): void {
  test("lists the tasks that a worker holds when it renews its lease", async (store) => {
    await store.create(taskOf("mine"), contentOf("w"));
    await store.create(taskOf("gone"), contentOf("w"));
    await store.create(taskOf("other"), contentOf("v"));
    await store.update("gone", handBack);
    requireEqual(await store.renew("w", longLeaseMs), [{ taskId: "mine", fence: 1 }]);
    requireEqual(await store.renew("unknown", longLeaseMs), []);
  });

  test("gives the tasks of a worker to another when its lease has expired, and counts a loss", async (store) => {
    await store.create(taskOf("t"), contentOf("dead", { leaseMs: shortLeaseMs }));
    await store.create(taskOf("u"), contentOf("alive"));
    await requireEventually(() => idsAcquiredBy(store, "v", { leaseMs: shortLeaseMs }), ["t"]);
    const { worker, fence, losses, deaths } = (await store.read("t")) as StoredTask;
    requireEqual({ worker, fence, losses, deaths }, { worker: "v", fence: 2, losses: 1, deaths: 1 });
    requireEqual(await store.renew("dead", longLeaseMs), []);
    requireEqual((await store.read("u"))?.worker, "alive");
  });

  test("a worker that was only cut off withdraws the death that it was charged with", async (store) => {
    await store.create(taskOf("t"), contentOf("cut off", { leaseMs: shortLeaseMs }));
    await requireEventually(() => idsAcquiredBy(store, "v", { leaseMs: shortLeaseMs }), ["t"]);
    await store.update("t", (task) => ({ ...task, deaths: task.deaths - 1 }));
    const { worker, fence, losses, deaths } = (await store.read("t")) as StoredTask;
    requireEqual({ worker, fence, losses, deaths }, { worker: "v", fence: 2, losses: 1, deaths: 0 });
  });

  test("an entry in the journal resets the losses of a task", async (store) => {
    await store.create(taskOf("t"), contentOf("dead", { leaseMs: shortLeaseMs }));
    await requireEventually(() => idsAcquiredBy(store, "v", { leaseMs: shortLeaseMs }), ["t"]);
    await store.append({ taskId: "t", fence: 2 }, 0, [entryOf("one")]);
    requireEqual((await store.read("t"))?.losses, 0);
  });

  test("charges no task when several neighbours are equally plausible, and then the only suspect", async (store) => {
    const holds = async () =>
      Promise.all(
        ["t", "u"].map(async (id) => (({ losses, deaths }) => [losses, deaths])((await store.read(id)) as StoredTask)),
      );
    const acquireAll = (worker: string, count: number, mayBeSuspect = true) => {
      const found: string[] = [];
      return requireEventually(async () => {
        found.push(...(await idsAcquiredBy(store, worker, { leaseMs: shortLeaseMs, mayBeSuspect })));
        return found.length;
      }, count);
    };
    for (const id of ["t", "u"]) await store.create(taskOf(id), contentOf("w1", { leaseMs: shortLeaseMs }));
    await acquireAll("w2", 2);
    requireEqual(await holds(), [
      [1, 0],
      [1, 0],
    ]);
    await acquireAll("w3", 1);
    requireEqual(await holds(), [
      [2, 0],
      [2, 0],
    ]);
    requireEqual(await idsAcquiredBy(store, "w4", { mayBeSuspect: false }), []);
    requireEqual((await idsAcquiredBy(store, "w4")).length, 1);
    await acquireAll("w5", 1);
    requireEqual((await holds()).map(([, deaths]) => deaths).sort(), [0, 1]);
  });

  test("a worker that retires hands back its tasks without a loss", async (store) => {
    await store.create(taskOf("t"), contentOf("w"));
    await store.retire("w");
    const { worker, losses, deaths } = (await store.read("t")) as StoredTask;
    requireEqual({ worker, losses, deaths }, { losses: 0, deaths: 0 });
    requireEqual(await idsAcquiredBy(store, "v"), ["t"]);
  });

  test("a worker that renews late keeps its tasks if no other worker acquired them", async (store) => {
    await store.create(taskOf("t"), contentOf("w", { leaseMs: 1 }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    requireEqual(await store.renew("w", longLeaseMs), [{ taskId: "t", fence: 1 }]);
    requireEqual(await store.append({ taskId: "t", fence: 1 }, 0, [entryOf("one")]), 1);
    requireEqual((await store.read("t"))?.losses, 0);
  });

  test("after a silence of all workers, no worker loses its tasks for the length of a lease", async (store) => {
    await store.create(taskOf("t"), contentOf("w", { leaseMs: 20 }));
    await new Promise((resolve) => setTimeout(resolve, 40));
    requireEqual(await idsAcquiredBy(store, "v", { leaseMs: 20 }), []);
    requireEqual(await store.renew("w", longLeaseMs), [{ taskId: "t", fence: 1 }]);
    requireEqual(await idsAcquiredBy(store, "v"), []);
  });
}
