// The encrypted texts of a task: its state, its arguments and each entry of its journal, bound to the task and to the place of the entry.
import type { JsonObject } from "@lethe/protocol";
import type { AcquiredTask, NewTask, StoredTask, TaskHold, TaskWork } from "@lethe/server/stores";
import { createMessageCipher } from "../seal/message-cipher.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";

type Entry = AcquiredTask["entries"][number];

/** A text of Redis, or null without one. */
export type RedisText = string | null | undefined;

export interface TaskCipher {
  sealState(task: NewTask): string;
  sealWork(taskId: string, work: TaskWork): string;
  sealEntry(taskId: string, position: number, entry: Entry): string;
  /** Undefined if the text was not written for this task with the keys of the deployment, like the others. */
  openState(taskId: string, text: RedisText): NewTask | undefined;
  openWork(taskId: string, text: RedisText): TaskWork | undefined;
  openEntry(taskId: string, position: number, text: RedisText): Entry | undefined;
}

export async function createTaskCipher(options: SharedKeys, maxBytes: number): Promise<TaskCipher> {
  const cipher = await createMessageCipher(ringOf(options, "tasks"), { purpose: "tasks", maxBytes, isTimeless: true });
  const seal = (value: unknown, to: string): string => cipher.seal(value as JsonObject, to);
  const open = (text: RedisText, to: string): JsonObject | undefined => (text ? cipher.open(text, to) : undefined);
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

/** A task from its state and the numbers that Redis keeps beside it. */
export function toStoredTask(
  state: NewTask & { lastUpdatedAt?: number },
  {
    createdAt,
    worker,
    ...hold
  }: { createdAt: string; worker: RedisText; fence: string; losses: string; deaths: string },
): StoredTask {
  const created = Number(createdAt);
  const { fence, losses, deaths } = hold;
  const numbers: TaskHold = { fence: Number(fence), losses: Number(losses), deaths: Number(deaths) };
  const times = { createdAt: created, lastUpdatedAt: state.lastUpdatedAt ?? created };
  return { ...state, ...times, ...numbers, ...(worker && { worker }) };
}
