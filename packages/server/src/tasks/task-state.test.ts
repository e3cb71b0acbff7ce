// The states of a task, one step at a time.
import { isDetailedTask, isTerminal } from "@lethe/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { taskOf } from "../contracts/task-store.ts";
import type { StoredTask } from "./stored-task.ts";
import { answered, asking, ended, reported, takenOver, toCreateTaskResult, toDetailedTask } from "./task-state.ts";

const journal = { v: 1 as const, mark: "m", round: 1, entries: [], asked: [] };
const roots = { method: "roots/list" } as const;
const ask = (task: StoredTask, ...keys: string[]) =>
  asking(task, journal, Object.fromEntries(keys.map((key) => [key, roots])), 2_000);
const answer = (task: StoredTask, ...keys: string[]) =>
  answered(task, Object.fromEntries(keys.map((key) => [key, { roots: [] }])), { worker: "v", now: 3_000 });

it("the task handle is flat and has no member that only tasks/get returns (F-4)", () => {
  expect(toCreateTaskResult(taskOf("t"))).toEqual({
    resultType: "task",
    taskId: "t",
    status: "working",
    createdAt: "1970-01-01T00:00:01.000Z",
    lastUpdatedAt: "1970-01-01T00:00:01.000Z",
    ttlMs: 1_000,
    pollIntervalMs: 5,
  });
});

it("a task with open input requests has no worker and shows its inputRequests (F-10)", () => {
  const task = ask(taskOf("t"), "a", "b");
  expect(task.worker).toBeUndefined();
  expect(toDetailedTask(task)).toMatchObject({ status: "input_required", inputRequests: { a: roots, b: roots } });
});

it("never reuses a key, so a repeated input request has a new one (F-14)", () => {
  const once = ask(taskOf("t"), "a", "a#2");
  const twice = ask(answer(once, "a", "a#2") ?? once, "a");
  expect(toDetailedTask(twice)).toMatchObject({ inputRequests: { "a#3": roots } });
  expect(answer(twice, "a")).toBeUndefined();
  expect(answer(twice, "a#3")?.work?.answers).toEqual({ a: { roots: [] } });
});

it("a partial response leaves the other requests open, and the last one assigns the task to its receiver (F-14)", () => {
  const some = answer(ask(taskOf("t"), "a", "b"), "a", "unknown");
  expect(some).toMatchObject({ status: "input_required", worker: undefined });
  expect(Object.keys(some?.inputRequests ?? {})).toEqual(["b"]);
  expect(answer(some as StoredTask, "a")).toBeUndefined();
  expect(answer(some as StoredTask, "b")).toMatchObject({
    status: "working",
    worker: "v",
    inputRequests: undefined,
    work: { answers: { a: { roots: [] }, b: { roots: [] } } },
  });
});

it("an ended task drops its run data and stays readable for at most keepMs (F-17)", () => {
  const task = taskOf("t", { statusMessage: "half" });
  const done = ended(task, { status: "completed", result: { content: [] } }, { now: 1_900, keepMs: 500 });
  expect(done).toMatchObject({ ttlMs: 1_400, lastUpdatedAt: 1_900, result: { content: [] } });
  for (const member of ["work", "worker", "inputRequests", "statusMessage"]) expect(done).not.toHaveProperty(member);
  expect(ended(task, { status: "cancelled" }, { now: 1_900, keepMs: 500 })?.ttlMs).toBe(1_000);
});

it("a failed task states the reason (F-12)", () => {
  const failed = ended(taskOf("t"), { status: "failed", error: { code: 1, message: "no" } }, { now: 1, keepMs: 0 });
  expect(failed && toDetailedTask(failed)).toMatchObject({
    status: "failed",
    statusMessage: "no",
    error: { code: 1, message: "no" },
  });
});

it("takes a task over only from the worker that was seen, and counts a death", () => {
  const now = 1_500;
  expect(takenOver(taskOf("t"), "w", { worker: "v", now })).toMatchObject({ worker: "v", deaths: 1 });
  expect(takenOver(taskOf("t", { worker: undefined }), undefined, { worker: "v", now })).toMatchObject({ deaths: 0 });
  expect(takenOver(taskOf("t"), "x", { worker: "v", now })).toBeUndefined();
  expect(takenOver(taskOf("t"), "w", { worker: "v", now: 2_000 })).toBeUndefined();
});

it("any order of events yields valid task states, and an ended task stays ended (F-11)", () => {
  const step = fc.oneof(
    fc
      .constantFrom("a", "b")
      .map((key) => (task: StoredTask) => (task.status === "working" ? ask(task, key) : undefined)),
    fc.constantFrom("a", "b", "a#2").map((key) => (task: StoredTask) => answer(task, key)),
    fc.constant((task: StoredTask) => reported(task, "x".repeat(2_000), 4_000)),
    fc.constant((task: StoredTask) => takenOver(task, task.worker, { worker: "u", now: 1_000 })),
    fc
      .constantFrom({ status: "cancelled" } as const, { status: "completed", result: {} } as const)
      .map((end) => (task: StoredTask) => ended(task, end, { now: 5_000, keepMs: 0 })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let task = taskOf("t");
      for (const next of steps) {
        const changed = next(task);
        if (isTerminal(task.status)) expect(changed).toBeUndefined();
        task = changed ?? task;
        expect(isDetailedTask(toDetailedTask(task))).toBe(true);
        expect(task.worker === undefined).toBe(task.status !== "working");
      }
    }),
  );
});
