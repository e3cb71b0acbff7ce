// What every task store has to do, whatever it is made of.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { StoredTask } from "../stored-task.ts";
import { newTask } from "../task-state.ts";
import type { TaskStore } from "../task-store.ts";

const limits = { maxTasks: 3, maxTasksPerCaller: 2 };

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

export function describeTaskStore(open: () => TaskStore | Promise<TaskStore>): void {
  let store: TaskStore;

  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  it("a task that was created can be read at once (F-5)", async () => {
    const task = taskOf("t", { caller: "ann" });
    await store.create(task, limits);
    expect(await store.read("t")).toEqual(JSON.parse(JSON.stringify(task)));
    expect(await store.read("other")).toBeUndefined();
  });

  it("keys that objects know by themselves are kept like others", async () => {
    const questions = JSON.parse('{"__proto__":{"key":"constructor","request":{"method":"roots/list"}}}');
    await store.create(taskOf("__proto__", { questions }), limits);
    const read = await store.read("__proto__");
    expect(JSON.stringify(read?.questions)).toBe(JSON.stringify(questions));
  });

  it("an update replaces the task, and one that is undefined leaves it", async () => {
    await store.create(taskOf("t"), limits);
    const changed = await store.update("t", (task) => ({ ...task, statusMessage: "half" }));
    expect(changed?.statusMessage).toBe("half");
    expect(await store.update("t", () => undefined)).toBeUndefined();
    expect(await store.update("other", (task) => task)).toBeUndefined();
    expect((await store.read("t"))?.statusMessage).toBe("half");
  });

  it("updates at the same time lose nothing", async () => {
    await store.create(taskOf("t"), limits);
    const steps = Array.from({ length: 50 }, () => store.update("t", (task) => ({ ...task, deaths: task.deaths + 1 })));
    await Promise.all(steps);
    expect((await store.read("t"))?.deaths).toBe(50);
  });

  it("there is room for so many of one caller, and for so many in all", async () => {
    await store.create(taskOf("a1", { caller: "ann" }), limits);
    await store.create(taskOf("a2", { caller: "ann" }), limits);
    await expect(store.create(taskOf("a3", { caller: "ann" }), limits)).rejects.toThrow(
      "at most 2 tasks of one caller",
    );
    await store.create(taskOf("x1"), limits);
    await expect(store.create(taskOf("x2"), limits)).rejects.toMatchObject({
      data: { retryAfterMs: expect.any(Number) },
    });
    await store.sweep(5_000);
    await store.create(taskOf("a4", { caller: "ann" }), limits);
  });

  it("a working task is abandoned when nobody works on it, or its worker is dead", async () => {
    await store.keepAlive("alive", 5_000);
    await store.keepAlive("late", 1_500);
    await store.create(taskOf("mine", { worker: "alive" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("late", { worker: "late" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("unknown", { worker: "unknown" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("nobody", { worker: undefined }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("waits", { worker: undefined, status: "input_required" }), { ...limits, maxTasks: 9 });
    await store.create(taskOf("done", { worker: "unknown" }), { ...limits, maxTasks: 9 });
    await store.update("done", (task) => ({ ...task, status: "completed" }));
    expect(await abandonedBy(1_600)).toEqual(["late", "nobody", "unknown"]);
    await store.keepAlive("alive", 0);
    expect(await abandonedBy(1_600)).toEqual(["late", "mine", "nobody", "unknown"]);
    expect(await store.abandoned(1_600, 2)).toHaveLength(2);
  });

  async function abandonedBy(now: number): Promise<string[]> {
    return (await store.abandoned(now, 10)).map(({ taskId }) => taskId).sort();
  }

  it("a sweep deletes what is over its time to live, which may have been prolonged (F-17)", async () => {
    await store.create(taskOf("short"), limits);
    await store.create(taskOf("long"), limits);
    await store.update("long", (task) => ({ ...task, ttlMs: 9_000 }));
    await store.sweep(1_999);
    expect(await store.read("short")).toBeDefined();
    await store.sweep(2_000);
    expect(await store.read("short")).toBeUndefined();
    expect(await store.read("long")).toBeDefined();
    await store.sweep(10_000);
    expect(await store.read("long")).toBeUndefined();
  });
}
