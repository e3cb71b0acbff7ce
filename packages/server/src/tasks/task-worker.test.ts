// What one worker knows of its tasks when answers of the store are late.
import { expect, it } from "vitest";
import type { Clock } from "../clock/clock.ts";
import { contentOf, requestOf, taskOf } from "../contracts/sample-tasks.ts";
import { createMemoryTaskStore } from "./memory-task-store.ts";
import { noTaskMeter } from "./task-meter.ts";
import { createTaskSettings } from "./task-settings.ts";
import { TaskWorker } from "./task-worker.ts";
import { wrapStore } from "./testing/wrap-store.ts";

const leaseMs = 300;

function createWorld() {
  let now = 1_000;
  const clock: Clock = { now: () => now, wallTime: () => now, after: () => () => {} };
  const shared = createMemoryTaskStore({ clock });
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const late = wrapStore(shared, {
    create: async (...args) => {
      const task = await shared.create(...args);
      await answered;
      return task;
    },
  });
  const worker = new TaskWorker({
    ...{ clock, meter: noTaskMeter, worker: "one", settings: createTaskSettings({ store: late, leaseMs }) },
    ...{ lanes: () => [], policyOf: () => undefined, onError: () => {}, publishState: () => {}, resume: () => {} },
  });
  const create = async () => {
    const { task, claimedAt } = await worker.create(taskOf("t"), contentOf("one"));
    const { taskId, fence } = task;
    return worker.hold({ taskId, fence, claimedAt, expiresInMs: 10_000, isSuspect: false, deaths: 0 });
  };
  return { worker, shared, create, answer: () => answer(), pass: (ms: number) => (now += ms) };
}

it("a renewal that was sent before a worker learns of its new task does not confirm that the worker still holds it", async () => {
  const { worker, shared, create, answer, pass } = createWorld();
  const creating = create();
  await expect.poll(() => shared.read("t")).toBeDefined();
  // The process stands still for longer than its lease, and another one takes the task over.
  for (let passed = 0; passed <= leaseMs; passed += leaseMs / 3) {
    await shared.acquire("two", requestOf({ leaseMs }));
    pass(leaseMs / 3);
  }
  await shared.acquire("two", requestOf({ leaseMs }));
  expect(await shared.read("t")).toMatchObject({ worker: "two", fence: 2 });
  const renewing = worker.renew();
  answer();
  const held = await creating;
  await renewing;
  const rejection = expect(held.whenSafe()).rejects.toThrow("another process runs it");
  await worker.renew();
  await rejection;
  await worker.close();
});

it("a worker that learns of its new task within its lease begins its steps at once", async () => {
  const { worker, shared, create, answer, pass } = createWorld();
  const creating = create();
  await expect.poll(() => shared.read("t")).toBeDefined();
  pass(leaseMs - 1);
  answer();
  const held = await creating;
  expect(held.whenSafe()).toBeUndefined();
  pass(1);
  let isSafe = false;
  const safe = held.whenSafe()?.then(() => {
    isSafe = true;
  });
  expect(isSafe).toBe(false);
  await worker.renew();
  await safe;
  expect(isSafe).toBe(true);
  await worker.close();
});
