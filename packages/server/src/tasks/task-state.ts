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
import type { JournalEntry } from "../interaction/journal.ts";
import type { StoredCallback, StoredTask, TaskInputRequests, TaskRounds } from "./stored-task.ts";
import type { NewTask } from "./task-store.ts";

const maxStatusMessage = 1_000;

export interface TaskDraft
  extends Pick<StoredTask, "taskId" | "owner" | "tool" | "lane" | "priority" | "ttlMs" | "pollIntervalMs"> {
  readonly rounds: TaskRounds;
  /** The status message. */
  readonly message?: string | undefined;
}

export function newTask({ message, ...task }: TaskDraft): NewTask {
  return { ...task, status: "working", statusMessage: message?.slice(0, maxStatusMessage) };
}

/** Undefined when the task waits for input or has ended. */
export function reported(task: StoredTask, message: string, now: number): StoredTask | undefined {
  if (task.status !== "working") return undefined;
  return { ...task, statusMessage: message.slice(0, maxStatusMessage), lastUpdatedAt: now };
}

/** Sleeps that are not over, by their number: those of this run by their rest in ms, earlier ones by the clock of the store. */
export interface PendingSleeps {
  readonly [key: string]: { readonly dueAt: number } | { readonly restMs: number };
}

/** Input requests suspended the handler: the task has no worker until they are answered. Its sleeps pass meanwhile. */
export function asking(
  task: StoredTask,
  journal: TaskRounds["journal"],
  asked: InputRequests,
  { now, sleeps }: { now: number; sleeps: PendingSleeps },
): StoredTask {
  const { rounds } = task;
  if (!rounds) return task;
  const { ttlMs, first: _, ...slept } = asleep(task, sleeps, now);
  const usedKeys = new Set(rounds.usedKeys);
  const inputRequests = Object.entries(asked).map(([key, request]) => {
    const shownKey = freshKey(key, usedKeys);
    usedKeys.add(shownKey);
    return [shownKey, { key, request }];
  });
  return {
    ...task,
    ttlMs,
    status: "input_required",
    worker: undefined,
    inputRequests: Object.fromEntries(inputRequests) as TaskInputRequests,
    rounds: { ...rounds, journal, answers: {}, usedKeys: [...usedKeys], ...(Object.keys(sleeps).length > 0 && slept) },
    lastUpdatedAt: now,
  };
}

/** A client never answers a key twice, even if its response was rejected. */
function freshKey(key: string, used: ReadonlySet<string>): string {
  let fresh = key;
  for (let count = 2; used.has(fresh); count++) fresh = `${key}#${count}`;
  return fresh;
}

/** Adds responses by key; unknown keys are ignored. With the last one the task waits for a worker. */
export function answered(task: StoredTask, answers: JsonObject, now: number): StoredTask | undefined {
  const { rounds, inputRequests = {} } = task;
  const given = Object.entries(inputRequests).filter(([shownKey]) => Object.hasOwn(answers, shownKey));
  if (!rounds || given.length === 0) return undefined;
  const open = Object.entries(inputRequests).filter(([shownKey]) => !Object.hasOwn(answers, shownKey));
  const kept = Object.fromEntries(given.map(([shownKey, { key }]) => [key, answers[shownKey]]));
  const next = { ...task, lastUpdatedAt: now, rounds: { ...rounds, answers: { ...rounds.answers, ...kept } } };
  if (open.length > 0) return { ...next, inputRequests: Object.fromEntries(open) };
  return { ...next, status: "working", statusMessage: undefined, inputRequests: undefined, delayMs: undefined };
}

export function findCallback(rounds: TaskRounds, key: string): StoredCallback {
  const { callbacks = {} } = rounds;
  return (Object.hasOwn(callbacks, key) && callbacks[key]) || {};
}

function isCalled(rounds: TaskRounds, key: string): boolean {
  return "body" in findCallback(rounds, key);
}

function withCallback(task: StoredTask, key: string, callback: StoredCallback): StoredTask {
  const { rounds } = task;
  return rounds ? { ...task, rounds: { ...rounds, callbacks: { ...rounds.callbacks, [key]: callback } } } : task;
}

/** Keeps the schema of an open callback. Undefined when the task has ended. */
export function callable(task: StoredTask, key: string, schema: JsonObject): StoredTask | undefined {
  const { rounds } = task;
  if (!rounds) return undefined;
  const { body, end } = findCallback(rounds, key);
  return body === undefined && end === undefined ? withCallback(task, key, { schema }) : task;
}

/** Drops the bodies that the journal contains, so that a task keeps each of them once. */
export function received(task: StoredTask, entries: readonly JournalEntry[]): StoredTask {
  return entries.reduce((next, { kind, key, value }) => {
    if (kind !== "callback" || (next.rounds && findCallback(next.rounds, key).end)) return next;
    return withCallback(next, key, { end: value === undefined ? "timed out" : "received" });
  }, task);
}

/**
 * Keeps the body of the request that completes a callback, and wakes the task if it waits for it. Undefined when the task has ended or the
 * callback is no longer open.
 */
export function called(task: StoredTask, key: string, body: unknown): StoredTask | undefined {
  const { rounds } = task;
  if (!rounds || isCalled(rounds, key) || findCallback(rounds, key).end) return undefined;
  const next = withCallback(task, key, { body });
  const isAsleep = task.status === "working" && task.worker === undefined && Object.hasOwn(rounds.sleeps ?? {}, key);
  return isAsleep ? { ...next, delayMs: 0 } : next;
}

/** The handler sleeps: any worker continues it when its first sleep is over. */
export function sleeping(
  task: StoredTask,
  journal: TaskRounds["journal"],
  { now, sleeps }: { now: number; sleeps: PendingSleeps },
): StoredTask | undefined {
  const { rounds } = task;
  if (!rounds) return undefined;
  const { ttlMs, first, ...slept } = asleep(task, sleeps, now);
  const isReady = Object.keys(sleeps).some((key) => isCalled(rounds, key));
  return {
    ...handedBack(task, isReady ? 0 : Math.max(0, first - now)),
    ttlMs,
    rounds: { ...rounds, journal, answers: {}, ...slept },
    lastUpdatedAt: now,
  };
}

/** The time until the first sleep is over does not count for the time to live, also if the task waits for input meanwhile. */
function asleep({ ttlMs, rounds }: StoredTask, pending: PendingSleeps, now: number) {
  const entries = Object.entries(pending);
  const due = entries.map(([key, sleep]) => [key, "dueAt" in sleep ? sleep.dueAt : now + sleep.restMs] as const);
  const first = due.reduce((least, [, dueAt]) => Math.min(least, dueAt), Number.POSITIVE_INFINITY);
  const { sleptMs = 0, sleptUntil = 0 } = rounds ?? {};
  const addedMs = due.length === 0 ? 0 : Math.max(0, first - Math.max(now, sleptUntil));
  return {
    ttlMs: ttlMs + addedMs,
    first,
    sleeps: Object.fromEntries(due) as { [key: string]: number },
    sleptMs: sleptMs + addedMs,
    sleptUntil: addedMs === 0 ? sleptUntil : first,
  };
}

/** The handler returned only a state: it runs again after `delayMs`. */
export function pausing(
  task: StoredTask,
  journal: TaskRounds["journal"],
  { now, delayMs }: { now: number; delayMs: number },
): StoredTask | undefined {
  const { rounds } = task;
  return rounds && { ...handedBack(task, delayMs), rounds: { ...rounds, journal, answers: {} }, lastUpdatedAt: now };
}

/** The handler failed with a retryable error: it runs again after `delayMs`. */
export function retrying(
  task: StoredTask,
  message: string,
  { now, delayMs }: { now: number; delayMs: number },
): StoredTask | undefined {
  const { rounds } = task;
  if (!rounds) return undefined;
  const next = { ...handedBack(task, delayMs), rounds: { ...rounds, failures: rounds.failures + 1 } };
  return { ...next, statusMessage: message.slice(0, maxStatusMessage), lastUpdatedAt: now };
}

/** The task waits in its lane for any worker, after `delayMs`. */
export function handedBack(task: StoredTask, delayMs = 0): StoredTask {
  return { ...task, worker: undefined, delayMs };
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
  const { rounds: _, inputRequests: __, worker: ___, statusMessage: ____, delayMs: _____, ...kept } = task;
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
 * const hold = { fence: 1, losses: 0, deaths: 0 };
 * const times = { createdAt: 0, lastUpdatedAt: 0, ttlMs: 60_000, pollIntervalMs: 1_000 };
 * const task = { taskId: "t", owner: undefined, tool: "print", lane: "default/print", priority: 0, ...times, ...hold };
 * console.log(toDetailedTask({ ...task, status: "working" }).status); // working
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
