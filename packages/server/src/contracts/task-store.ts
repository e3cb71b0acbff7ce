// The contract of TaskStore as a test suite.
import type { StoredTask } from "../tasks/stored-task.ts";
import { newTask } from "../tasks/task-state.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { requireEqual, requireRejection, type TestRunner } from "./test-runner.ts";

const limits = { maxTasks: 3, maxTasksPerCaller: 2 };

/** A task for tests of stores. */
export function taskOf(taskId: string, more: Partial<StoredTask> & { caller?: string } = {}): StoredTask {
  const { caller, ...changes } = more;
  const work = {
    params: { name: "tool", arguments: { text: "ü __proto__" } },
    caller: caller === undefined ? undefined : { id: caller },
    journal: { v: 1 as const, mark: "m", round: 0, entries: [], asked: [] },
    answers: {},
    usedKeys: [],
  };
  const task = newTask({ taskId, tool: "tool", ttlMs: 1_000, pollIntervalMs: 5, work, worker: "w", now: 1_000 });
  return { ...task, ...changes };
}

/**
 * Defines the tests that every implementation of TaskStore must pass. `open` creates an empty store for each test. For a store that
 * several processes may open, `openAgain` opens the database of the last `open` a second time, as another process does.
 *
 * @example
 * import { createMemoryTaskStore, describeTaskStore } from "@lethe/server/stores";
 *
 * const tests: (() => Promise<void>)[] = [];
 * describeTaskStore({ it: (_, body) => tests.push(body) }, () => createMemoryTaskStore());
 * for (const run of tests) await run();
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

  test("reads a task as soon as it was created (F-5)", async (store) => {
    const task = taskOf("t", { caller: "ann" });
    await store.create(task, limits);
    requireEqual(await store.read("t"), JSON.parse(JSON.stringify(task)));
    requireEqual(await store.read("other"), undefined);
  });

  test("keeps keys such as __proto__ like others", async (store) => {
    const inputRequests = JSON.parse('{"__proto__":{"key":"constructor","request":{"method":"roots/list"}}}');
    await store.create(taskOf("__proto__", { inputRequests }), limits);
    const read = await store.read("__proto__");
    requireEqual(JSON.stringify(read?.inputRequests), JSON.stringify(inputRequests));
  });

  test("replaces a task by the result of an update, and keeps it when the update returns undefined", async (store) => {
    await store.create(taskOf("t"), limits);
    const changed = await store.update("t", (task) => ({ ...task, statusMessage: "half" }));
    requireEqual(changed?.statusMessage, "half");
    requireEqual(await store.update("t", () => undefined), undefined);
    requireEqual(await store.update("other", (task) => task), undefined);
    requireEqual((await store.read("t"))?.statusMessage, "half");
  });

  test("loses no concurrent update", async (store) => {
    await store.create(taskOf("t"), limits);
    const steps = Array.from({ length: 50 }, () => store.update("t", (task) => ({ ...task, deaths: task.deaths + 1 })));
    await Promise.all(steps);
    requireEqual((await store.read("t"))?.deaths, 50);
  });

  test("limits the tasks of one caller and of all", async (store) => {
    await store.create(taskOf("a1", { caller: "ann" }), limits);
    await store.create(taskOf("a2", { caller: "ann" }), limits);
    const tooMany = await requireRejection(store.create(taskOf("a3", { caller: "ann" }), limits));
    requireEqual(tooMany.message.includes("at most 2 tasks of one caller"), true);
    await store.create(taskOf("x1"), limits);
    const full = await requireRejection(store.create(taskOf("x2"), limits));
    requireEqual(typeof (full.data as { retryAfterMs?: unknown }).retryAfterMs, "number");
    await store.sweep(5_000);
    await store.create(taskOf("a4", { caller: "ann" }), limits);
  });

  test("reports a working task as abandoned when it has no worker or its worker is dead", async (store) => {
    async function abandonedBy(now: number): Promise<string[]> {
      return (await store.abandoned(now, 10)).map(({ taskId }) => taskId).sort();
    }
    await store.keepAlive("alive", 5_000);
    await store.keepAlive("late", 1_500);
    await store.create(taskOf("mine", { worker: "alive" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("late", { worker: "late" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("unknown", { worker: "unknown" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("orphan", { worker: undefined }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("waits", { worker: undefined, status: "input_required" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("done", { worker: "unknown" }), { ...limits, maxTasks: 9 });
    await store.update("done", (task) => ({ ...task, status: "completed" }));
    requireEqual(await abandonedBy(1_600), ["late", "orphan", "unknown"]);
    await store.keepAlive("alive", 0);
    requireEqual(await abandonedBy(1_600), ["late", "mine", "orphan", "unknown"]);
    requireEqual((await store.abandoned(1_600, 2)).length, 2);
  });

  test("sweeps tasks after their time to live, which an update may have extended (F-17)", async (store) => {
    await store.create(taskOf("short"), limits);
    await store.create(taskOf("long"), limits);
    await store.update("long", (task) => ({ ...task, ttlMs: 9_000 }));
    await store.sweep(1_999);
    requireEqual((await store.read("short"))?.taskId, "short");
    await store.sweep(2_000);
    requireEqual(await store.read("short"), undefined);
    requireEqual((await store.read("long"))?.taskId, "long");
    await store.sweep(10_000);
    requireEqual(await store.read("long"), undefined);
  });
  if (openAgain) describeSharing({ it }, open, openAgain);
}

/** What several processes with the same database rely on. */
function describeSharing(
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
    await one.create(taskOf("t", { caller: "ann" }), limits);
    requireEqual((await other.read("t"))?.owner, "ann");
    await other.update("t", (task) => ({ ...task, statusMessage: "half" }));
    requireEqual((await one.read("t"))?.statusMessage, "half");
    const tooMany = await requireRejection(other.create(taskOf("u"), { ...limits, maxTasks: 1 }));
    requireEqual(tooMany.message.includes("at most 1 tasks"), true);
  });

  test("loses no update when two processes update a task concurrently", async (one, other) => {
    await one.create(taskOf("t"), limits);
    const steps = Array.from({ length: 40 }, (_, step) =>
      (step % 2 === 0 ? one : other).update("t", (task) => ({ ...task, deaths: task.deaths + 1 })),
    );
    await Promise.all(steps);
    requireEqual((await one.read("t"))?.deaths, 40);
  });

  test("lets one of two processes claim an abandoned task", async (one, other) => {
    await one.create(taskOf("t", { worker: "dead" }), limits);
    requireEqual((await other.abandoned(1_000, 10)).length, 1);
    const claims = [one, other].map((store, index) =>
      store.update("t", (task) => (task.worker === "dead" ? { ...task, worker: `w${index}` } : undefined)),
    );
    requireEqual((await Promise.all(claims)).filter((task) => task !== undefined).length, 1);
  });

  test("reports a task as abandoned to the others when the heartbeats of its worker end", async (one, other) => {
    await one.keepAlive("w", 5_000);
    await one.create(taskOf("t", { worker: "w" }), limits);
    requireEqual((await other.abandoned(4_999, 10)).length, 0);
    requireEqual((await other.abandoned(5_000, 10)).length, 1);
  });
}
