// The states of a task, one step at a time.
import { isDetailedTask, isTerminal } from "@lethe/protocol";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { taskOf as newTaskOf } from "../contracts/sample-tasks.ts";
import type { StoredTask } from "./stored-task.ts";
import { culpritOf, lost } from "./task-hold.ts";
import {
  answered,
  asking,
  ended,
  handedBack,
  reported,
  retrying,
  toCreateTaskResult,
  toDetailedTask,
} from "./task-state.ts";

const journal = { v: 1 as const, mark: "m", round: 1, asked: [] };
/** A task that a worker runs. */
const taskOf = (taskId: string, changes: Partial<StoredTask> = {}): StoredTask => ({
  ...{ ...newTaskOf(taskId, { ttlMs: 1_000 }), createdAt: 1_000, lastUpdatedAt: 1_000 },
  ...{ worker: "w", fence: 1, losses: 0, deaths: 0, ...changes },
});
const roots = { method: "roots/list" } as const;
const ask = (task: StoredTask, ...keys: string[]) =>
  asking(task, journal, Object.fromEntries(keys.map((key) => [key, roots])), { now: 2_000, sleeps: {} });
const answer = (task: StoredTask, ...keys: string[]) =>
  answered(task, Object.fromEntries(keys.map((key) => [key, { roots: [] }])), 3_000);

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
  expect(answer(twice, "a#3")?.rounds?.answers).toEqual({ a: { roots: [] } });
});

it("finds an unused key without a search through the keys of all earlier rounds", () => {
  const search = vi.spyOn(Array.prototype, "includes");
  let task = taskOf("t");
  for (let round = 1; round <= 100; round++) {
    const asked = ask(task, "a");
    task = answer(asked, ...Object.keys(asked.inputRequests ?? {})) ?? asked;
  }
  const searched = search.mock.contexts.reduce<number>((sum, keys) => sum + (keys as unknown[]).length, 0);
  search.mockRestore();
  expect(task.rounds?.usedKeys.at(-1)).toBe("a#100");
  expect(searched).toBeLessThan(1_000);
});

it("a partial response leaves the other requests open, and with the last one the task waits for a worker (F-14)", () => {
  const some = answer(ask(taskOf("t"), "a", "b"), "a", "unknown");
  expect(some).toMatchObject({ status: "input_required", worker: undefined });
  expect(Object.keys(some?.inputRequests ?? {})).toEqual(["b"]);
  expect(answer(some as StoredTask, "a")).toBeUndefined();
  expect(answer(some as StoredTask, "b")).toMatchObject({
    status: "working",
    worker: undefined,
    inputRequests: undefined,
    rounds: { answers: { a: { roots: [] }, b: { roots: [] } } },
  });
});

it("an ended task drops its run data and stays readable for at most keepMs (F-17)", () => {
  const task = taskOf("t", { statusMessage: "half" });
  const done = ended(task, { status: "completed", result: { content: [] } }, { now: 1_900, keepMs: 500 });
  expect(done).toMatchObject({ ttlMs: 1_400, lastUpdatedAt: 1_900, result: { content: [] } });
  for (const member of ["rounds", "worker", "inputRequests", "statusMessage"]) expect(done).not.toHaveProperty(member);
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

it("charges the loss of a worker to the only suspect, else to the only task lost before, else to the only task", () => {
  const [fresh, lostOnce, suspect] = [0, 1, 2].map((losses) => ({ losses, deaths: 0, fence: 1 }));
  if (!fresh || !lostOnce || !suspect) throw new Error("three expected");
  expect(culpritOf([])).toBeUndefined();
  expect(culpritOf([fresh])).toBe(fresh);
  expect(culpritOf([fresh, { ...fresh }])).toBeUndefined();
  expect(culpritOf([fresh, lostOnce, { ...fresh }])).toBe(lostOnce);
  expect(culpritOf([fresh, lostOnce, suspect, { ...lostOnce }])).toBe(suspect);
  expect(culpritOf([suspect, { ...suspect }, lostOnce])).toBeUndefined();
});

it("a task that lost its worker waits for another, with its losses and deaths counted", () => {
  expect(lost(taskOf("t"), false)).toMatchObject({ worker: undefined, losses: 1, deaths: 0 });
  expect(lost(taskOf("t", { losses: 2, deaths: 1 }), true)).toMatchObject({ losses: 3, deaths: 2 });
});

it("a retryable failure keeps the journal and the answers, and counts the failure", () => {
  const task = answer(ask(taskOf("t"), "a"), "a") as StoredTask;
  const again = retrying(task, "busy", { now: 5_000, delayMs: 2_000 });
  expect(again).toMatchObject({ status: "working", worker: undefined, delayMs: 2_000, statusMessage: "busy" });
  expect(again?.rounds).toEqual({ ...task.rounds, failures: 1 });
});

it("any order of events yields valid task states, and an ended task stays ended (F-11)", () => {
  const step = fc.oneof(
    fc
      .constantFrom("a", "b")
      .map((key) => (task: StoredTask) => (task.status === "working" ? ask(task, key) : undefined)),
    fc.constantFrom("a", "b", "a#2").map((key) => (task: StoredTask) => answer(task, key)),
    fc.constant((task: StoredTask) => reported(task, "x".repeat(2_000), 4_000)),
    fc.constant((task: StoredTask) => (task.status === "working" ? handedBack(task) : undefined)),
    fc.constant((task: StoredTask) => (task.status === "working" ? { ...task, worker: "u" } : undefined)),
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
        if (task.status !== "working") expect(task.worker).toBeUndefined();
      }
    }),
  );
});
