// The encrypted texts of a task: its state, its arguments and each entry of its journal, bound to the task and to the place of the entry.
import type { JsonObject } from "@lethe/protocol";
import type { StoredTask, TaskHold, TaskWork } from "../../tasks/stored-task.ts";
import type { AcquiredTask, NewTask } from "../../tasks/task-store.ts";
import { createMessageCipher } from "./message-cipher.ts";
import { ringOf, type SharedKeys } from "./shared-keys.ts";

type Entry = AcquiredTask["entries"][number];

/** A text of a shared store, or null without one. */
export type StoredText = string | null | undefined;

/** Encrypts what a store keeps of a task. */
export interface TaskCipher {
  sealState(task: NewTask): string;
  sealWork(taskId: string, work: TaskWork): string;
  sealEntry(taskId: string, position: number, entry: Entry): string;
  /** Undefined if the text was not written for this task with the keys of the deployment, like the others. */
  openState(taskId: string, text: StoredText): NewTask | undefined;
  openWork(taskId: string, text: StoredText): TaskWork | undefined;
  openEntry(taskId: string, position: number, text: StoredText): Entry | undefined;
}

/**
 * Creates the cipher of a task store. `maxBytes` is the size of a state, of arguments or of one entry as JSON. Rejects without keys.
 *
 * @example
 * import { createTaskCipher } from "@lethe/server/sealing";
 *
 * const cipher = await createTaskCipher({ keys: `k1:${"A".repeat(43)}` }, 1_048_576);
 * const sealed = cipher.sealEntry("task 1", 0, { kind: "once", key: "pay", value: "paid" });
 * console.log(cipher.openEntry("task 1", 0, sealed)?.value); // paid
 * console.log(cipher.openEntry("task 1", 1, sealed)); // undefined
 */
export async function createTaskCipher(options: SharedKeys, maxBytes: number): Promise<TaskCipher> {
  const cipher = await createMessageCipher(ringOf(options, "tasks"), { purpose: "tasks", maxBytes, isTimeless: true });
  const seal = (value: unknown, to: string): string => cipher.seal(value as JsonObject, to);
  const open = (text: StoredText, to: string): JsonObject | undefined => (text ? cipher.open(text, to) : undefined);
  return {
    sealState: (task) => seal(withoutHold(task), `state ${task.taskId}`),
    sealWork: (taskId, work) => seal(work, `work ${taskId}`),
    sealEntry: (taskId, position, entry) => seal(toShort(entry), `entry ${position} ${taskId}`),
    openState: (taskId, text) => open(text, `state ${taskId}`) as NewTask | undefined,
    openWork: (taskId, text) => open(text, `work ${taskId}`) as TaskWork | undefined,
    openEntry(taskId, position, text) {
      const short = open(text, `entry ${position} ${taskId}`);
      return short && fromShort(short);
    },
  };
}

/** The members that the store keeps beside the state, or only for the length of a call. */
function withoutHold(task: NewTask & Partial<StoredTask>): JsonObject {
  const { worker: _, fence: __, losses: ___, deaths: ____, createdAt: _____, delayMs: ______, ...state } = task;
  return { ...state };
}

/** Steps are many and small, so the names of their members count. */
function toShort(entry: Entry): JsonObject {
  const { kind, key, value } = entry;
  const kept = value === undefined ? {} : { v: value };
  if (kind === "answer")
    return { a: key, d: entry.digest, ...kept, ...(entry.label !== undefined && { l: entry.label }) };
  if (kind === "sleep") return { s: key };
  if (kind === "callback") return { c: key, ...kept };
  return kind === "once" ? { o: key, ...kept } : { n: key, ...kept };
}

function fromShort({ a, d, o, n, l, s, c, ...kept }: JsonObject): Entry {
  const value = Object.hasOwn(kept, "v") ? { value: kept.v } : {};
  const label = l === undefined ? {} : { label: String(l) };
  if (a !== undefined) return { kind: "answer", key: String(a), digest: String(d), value: kept.v, ...label };
  if (s !== undefined) return { kind: "sleep", key: String(s) };
  if (c !== undefined) return { kind: "callback", key: String(c), ...value };
  return o === undefined ? { kind: "auto", key: String(n), ...value } : { kind: "once", key: String(o), ...value };
}

/**
 * A task from its state and the numbers that the store keeps beside it.
 *
 * @example
 * import { toStoredTask } from "@lethe/server/sealing";
 * import type { NewTask } from "@lethe/server/stores";
 *
 * const state = { taskId: "t", tool: "count", ttlMs: 60_000 } as NewTask;
 * const task = toStoredTask(state, { createdAt: "1000", worker: null, fence: "1", losses: "0", deaths: "0" });
 * console.log(task.createdAt, task.fence, task.worker); // 1000 1 undefined
 */
export function toStoredTask(
  state: NewTask & { lastUpdatedAt?: number },
  {
    createdAt,
    worker,
    ...hold
  }: {
    createdAt: string | number;
    worker?: StoredText;
    fence: string | number;
    losses: string | number;
    deaths: string | number;
  },
): StoredTask {
  const created = Number(createdAt);
  const { fence, losses, deaths } = hold;
  const numbers: TaskHold = { fence: Number(fence), losses: Number(losses), deaths: Number(deaths) };
  const times = { createdAt: created, lastUpdatedAt: state.lastUpdatedAt ?? created };
  return { ...state, ...times, ...numbers, ...(worker && { worker }) };
}
