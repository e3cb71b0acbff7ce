// The store of one process.
import { describe, expect, it } from "vitest";
import { describeTaskStore, taskOf } from "../contracts/task-store.ts";
import { createMemoryTaskStore } from "./memory-task-store.ts";

describe("createMemoryTaskStore", () => {
  describeTaskStore({ it }, createMemoryTaskStore);

  it("a task store in memory is not durable, so no worker recovers its tasks", () => {
    expect(createMemoryTaskStore().isDurable).toBe(false);
  });

  it("a task store in memory iterates over its tasks, oldest first", async () => {
    const store = createMemoryTaskStore();
    const tasks = [taskOf("b"), taskOf("a")];
    for (const task of tasks) await store.create(task, { maxTasks: 2, maxTasksPerCaller: 2 });
    expect([...store.tasks]).toEqual(tasks);
  });
});
