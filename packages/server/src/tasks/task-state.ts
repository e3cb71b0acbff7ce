// The state machine of a task (F-11): pure functions from a stored task to its next state or its wire form.
import {
  type CreateTaskResult,
  type DetailedTask,
  type InputRequests,
  isTerminal,
  type JsonObject,
  type JsonRpcErrorObject,
  type Task,
} from "@lethe/protocol";
import type { Journal } from "../interaction/journal.ts";
import type { StoredTask, TaskInputRequests, TaskWork } from "./stored-task.ts";

const maxStatusMessage = 1_000;

export interface NewTask extends Pick<StoredTask, "taskId" | "tool" | "ttlMs" | "pollIntervalMs"> {
  readonly work: TaskWork;
  readonly worker: string;
  /** The status message. */
  readonly message?: string | undefined;
  readonly now: number;
}

export function newTask({ now, message, ...task }: NewTask): StoredTask {
  const owner = task.work.caller?.id;
  const statusMessage = message?.slice(0, maxStatusMessage);
  return { ...task, owner, status: "working", statusMessage, createdAt: now, lastUpdatedAt: now, deaths: 0 };
}

export function expiresAt({ createdAt, ttlMs }: StoredTask): number {
  return createdAt + ttlMs;
}

export function isExpired(task: StoredTask, now: number): boolean {
  return expiresAt(task) <= now;
}

/** Undefined when the task waits or has ended. */
export function reported(task: StoredTask, message: string, now: number): StoredTask | undefined {
  if (task.status !== "working") return undefined;
  return { ...task, statusMessage: message.slice(0, maxStatusMessage), lastUpdatedAt: now };
}

/** Input requests suspended the handler: the task has no worker until they are answered. */
export function asking(task: StoredTask, journal: Journal, asked: InputRequests, now: number): StoredTask {
  const { work } = task;
  if (!work) return task;
  const usedKeys = [...work.usedKeys];
  const inputRequests = Object.entries(asked).map(([key, request]) => {
    const shownKey = freshKey(key, usedKeys);
    usedKeys.push(shownKey);
    return [shownKey, { key, request }];
  });
  return {
    ...task,
    status: "input_required",
    worker: undefined,
    inputRequests: Object.fromEntries(inputRequests) as TaskInputRequests,
    work: { ...work, journal, answers: {}, usedKeys },
    lastUpdatedAt: now,
  };
}

/** A client never answers a key twice, even if its response was rejected. */
function freshKey(key: string, used: readonly string[]): string {
  let fresh = key;
  for (let count = 2; used.includes(fresh); count++) fresh = `${key}#${count}`;
  return fresh;
}

/** Adds responses by key; unknown keys are ignored. With the last one the task goes to `worker`. */
export function answered(
  task: StoredTask,
  answers: JsonObject,
  { worker, now }: { worker: string; now: number },
): StoredTask | undefined {
  const { work, inputRequests = {} } = task;
  const given = Object.entries(inputRequests).filter(([shownKey]) => Object.hasOwn(answers, shownKey));
  if (!work || given.length === 0) return undefined;
  const open = Object.entries(inputRequests).filter(([shownKey]) => !Object.hasOwn(answers, shownKey));
  const kept = Object.fromEntries(given.map(([shownKey, { key }]) => [key, answers[shownKey]]));
  const next = { ...task, lastUpdatedAt: now, work: { ...work, answers: { ...work.answers, ...kept } } };
  if (open.length > 0) return { ...next, inputRequests: Object.fromEntries(open) };
  return { ...next, status: "working", statusMessage: undefined, inputRequests: undefined, worker };
}

/** `worker` claims a task that was orphaned or handed back. Undefined when another worker claimed it. */
export function takenOver(
  task: StoredTask,
  from: string | undefined,
  { worker, now }: { worker: string; now: number },
): StoredTask | undefined {
  if (task.status !== "working" || task.worker !== from || isExpired(task, now)) return undefined;
  return { ...task, worker, deaths: task.deaths + (from === undefined ? 0 : 1) };
}

export type TaskEnd =
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly error: JsonRpcErrorObject }
  | { readonly status: "cancelled" };

/**
 * Undefined when the task has ended already. Drops the data to run it, and keeps the outcome for
 * at least `keepMs`.
 */
export function ended(
  task: StoredTask,
  end: TaskEnd,
  { now, keepMs }: { now: number; keepMs: number },
): StoredTask | undefined {
  if (isTerminal(task.status)) return undefined;
  const { work: _, inputRequests: __, worker: ___, statusMessage: ____, ...kept } = task;
  const next: StoredTask = {
    ...kept,
    ...end,
    ttlMs: end.status === "cancelled" ? task.ttlMs : Math.max(task.ttlMs, now - task.createdAt + keepMs),
    lastUpdatedAt: now,
  };
  return end.status === "failed" ? { ...next, statusMessage: end.error.message.slice(0, maxStatusMessage) } : next;
}

export function toCreateTaskResult(task: StoredTask): CreateTaskResult {
  return { resultType: "task", ...toTask(task) };
}

/**
 * Converts a stored task to the form of `tasks/get` and `notifications/tasks`.
 *
 * @example
 * import { toDetailedTask } from "@lethe/server/edge";
 *
 * const task = { taskId: "t", tool: "print", status: "working", ttlMs: 60_000, pollIntervalMs: 1_000 } as const;
 * console.log(toDetailedTask({ ...task, owner: undefined, createdAt: 0, lastUpdatedAt: 0, deaths: 0 }).status); // working
 */
export function toDetailedTask(stored: StoredTask): DetailedTask {
  const task = toTask(stored);
  const { status, inputRequests = {}, result = {}, error } = stored;
  switch (status) {
    case "input_required": {
      const open = Object.entries(inputRequests).map(([shownKey, { request }]) => [shownKey, request]);
      return { ...task, status, inputRequests: Object.fromEntries(open) };
    }
    case "completed":
      return { ...task, status, result };
    case "failed":
      return { ...task, status, error: error ?? { code: 0, message: "" } };
    default:
      return { ...task, status };
  }
}

function toTask({ taskId, status, statusMessage, ttlMs, pollIntervalMs, ...stored }: StoredTask): Task {
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(stored.createdAt).toISOString(),
    lastUpdatedAt: new Date(stored.lastUpdatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  };
}
