// Tasks for the tests of task stores.
import type { JournalEntry } from "../interaction/journal.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import { newTask } from "../tasks/task-state.ts";
import type { AcquireRequest, CreateOptions, NewTask, TaskStore } from "../tasks/task-store.ts";

export const manyTasks: CreateOptions["limits"] = {
  maxTasks: 1_000,
  maxTasksPerCaller: 1_000,
  maxEnded: 1_000,
  maxEndedPerCaller: 1_000,
};
/** Longer than any test. */
export const longLeaseMs = 600_000;
/** As long as a loaded machine may need for a few calls. */
export const shortLeaseMs = 250;
const lane = "default/tool";

/** A new task for tests of stores. */
export function taskOf(taskId: string, changes: Partial<NewTask> = {}): NewTask {
  const rounds = {
    journal: { v: 1 as const, mark: "m", round: 0, asked: [] },
    answers: {},
    usedKeys: [],
    failures: 0,
  };
  const task = { taskId, owner: undefined, tool: "tool", lane, priority: 0, ttlMs: 60_000, pollIntervalMs: 5, rounds };
  return { ...newTask(task), ...changes };
}

export function contentOf(worker: string, changes: Partial<CreateOptions> = {}): CreateOptions {
  const params = { name: "tool", arguments: { text: "ü __proto__" } };
  const work = { params, caller: undefined, seed: "seed" };
  return { work, entries: [], worker, leaseMs: longLeaseMs, limits: manyTasks, ...changes };
}

export function requestOf(changes: Partial<AcquireRequest> = {}): AcquireRequest {
  return { lanes: [lane], limit: 10, mayBeSuspect: true, leaseMs: longLeaseMs, ...changes };
}

export function entryOf(key: string): JournalEntry {
  return { kind: "once", key, value: key };
}

export async function idsAcquiredBy(
  store: TaskStore,
  worker: string,
  changes?: Partial<AcquireRequest>,
): Promise<string[]> {
  return (await store.acquire(worker, requestOf(changes))).map(({ task }) => task.taskId);
}

export const handBack = (task: StoredTask): StoredTask => ({ ...task, worker: undefined });
