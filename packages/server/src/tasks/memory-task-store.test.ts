// The store of one process.
import { processMemory } from "@lethe/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
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

  it("a task store in memory counts the arguments of live tasks, and takes no task for whose arguments there is no room", async () => {
    const { hardBytes } = processMemory;
    onTestFinished(() => processMemory.limit(hardBytes));
    processMemory.limit(1_000_000);
    const store = createMemoryTaskStore();
    const large = { params: { name: "tool", arguments: { text: "x".repeat(200_000) } }, caller: undefined, seed: "s" };
    const create = (id: string, work = large) => store.create(taskOf(id), contentOf("w", { work }));
    await create("a");
    expect(processMemory.heldByKind.calls).toBeGreaterThan(200_000);
    await expect(create("b")).rejects.toMatchObject({ code: -32603, data: { retryAfterMs: 10_000 } });
    expect(await store.read("b")).toBeUndefined();
    await store.update("a", (task) => ({ ...task, status: "cancelled" }));
    expect(processMemory.heldByKind.calls).toBe(0);
    await create("b");
    await store.close();
    expect(processMemory.heldByKind.calls).toBe(0);
  });

  it("a task store in memory rejects arguments that are nested too deep to be written as invalid params", async () => {
    let nested: unknown[] = [];
    for (let level = 0; level < 100_000; level++) nested = [nested];
    const work = { params: { name: "tool", arguments: { nested } }, caller: undefined, seed: "s" };
    await expect(createMemoryTaskStore().create(taskOf("a"), contentOf("w", { work }))).rejects.toMatchObject({
      code: -32602,
    });
  });
});
