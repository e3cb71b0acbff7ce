// The store of one process.
import { describe, expect, it } from "vitest";
import { createMemoryTaskStore } from "./memory-task-store.ts";
import { describeTaskStore } from "./testing/store-contract.ts";

describe("a task store in memory", () => {
  describeTaskStore(createMemoryTaskStore);

  it("is not durable: nobody looks in it for tasks of the dead", () => {
    expect(createMemoryTaskStore().isDurable).toBe(false);
  });
});
