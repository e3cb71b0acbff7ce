// The store of one process.
import { describe, expect, it } from "vitest";
import { contentOf, taskOf } from "../contracts/sample-tasks.ts";
import { describeTaskStore } from "../contracts/task-store.ts";
import { createMemoryTaskStore } from "./memory-task-store.ts";

describe("createMemoryTaskStore", () => {
  describeTaskStore({ it }, () => createMemoryTaskStore());

  it("a task store in memory is not durable, so no worker recovers its tasks", () => {
    expect(createMemoryTaskStore().isDurable).toBe(false);
  });

  it("a task store in memory iterates over its tasks, oldest first", async () => {
    const store = createMemoryTaskStore();
    const tasks = [];
    for (const id of ["b", "a"]) tasks.push(await store.create(taskOf(id), contentOf("w")));
    expect([...store.tasks]).toEqual(tasks);
  });
});
