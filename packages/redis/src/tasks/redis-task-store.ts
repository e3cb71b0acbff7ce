// Tasks in Redis (F-5): they outlive every process, and all processes of one server share them, on whatever machine. This is also
// the queue: who looks for tasks of the dead finds those that were handed back, and each is taken up by one.
import { createHash } from "node:crypto";
import { isMcpError, type JsonObject, overloaded } from "@lethe/protocol";
import { requireRoom, type StoredTask, type TaskStore } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createTurns } from "../script/take-turns.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";
import { createTaskScripts } from "./task-scripts.ts";

export interface RedisTaskStoreOptions extends SharedKeys {
  /** Of one task with arguments, journal and result, as JSON. Default 16 MiB. */
  maxBytes?: number;
  /** How long a change of a task waits for a Redis that is away. Default 8,000 ms. */
  patienceMs?: number;
}

interface Loaded {
  readonly version: string;
  readonly text: string;
  readonly task: StoredTask;
}

/** Longer than any id of ours: ids come from clients. */
const maxIdLength = 200;
/** Each attempt fails only because another process was quicker. */
const maxAttempts = 100;
/** How many tasks are deleted in one step: others wait for it. */
const sweepBatch = 200;
/** How many of the abandoned are fetched at a time. */
const readBatch = 50;
/** ms */
const retryEveryMs = 250;
const retryAfterMs = 5_000;

/**
 * The connection stays open when the store is closed. While Redis is away, changes of tasks wait a while, so that a step of a
 * journal is not lost for a moment's sake, and then are refused as under load, as is everything else at once.
 */
export async function createRedisTaskStore(
  redis: RedisConnection,
  options: RedisTaskStoreOptions = {},
): Promise<TaskStore> {
  const { maxBytes = 16 * 1024 * 1024, patienceMs = 8_000 } = options;
  const envelope = await createEnvelope(ringOf(options, "tasks"), { purpose: "tasks", maxBytes });
  const base = redis.nameOf("tasks");
  const scripts = createTaskScripts(redis);
  const takeTurn = createTurns();

  /** Undefined also for what was not written by one of us. */
  async function load(taskId: string): Promise<Loaded | undefined> {
    if (taskId.length > maxIdLength) return undefined;
    const [version, text] = await redis.client.hmget(`${base}:task:${taskId}`, "v", "d");
    const task = version && text ? envelope.open(text, taskId) : undefined;
    return task && version && text ? { version, text, task: task as unknown as StoredTask } : undefined;
  }

  const seal = (task: StoredTask): string => envelope.seal(task as unknown as JsonObject, task.taskId);

  async function change(taskId: string, by: (task: StoredTask) => StoredTask | undefined) {
    const until = Date.now() + patienceMs;
    let written: string | undefined;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await insist(() => load(taskId), until);
      // It was written, and only the answer was lost: no two sealed texts are the same.
      if (before && before.text === written) return before.task;
      const task = before && by(before.task);
      if (!task) return undefined;
      written = seal(task);
      const args = [taskId, before.version, written, ...placeOf(task)];
      try {
        if ((await scripts.replace([base], args)) === 1) return task;
      } catch (error) {
        await pauseUntil(until, error);
      }
    }
    throw new Error(`a task was changed ${maxAttempts} times meanwhile`);
  }

  return {
    isDurable: true,
    create: (task, { maxTasks, maxTasksPerCaller }) =>
      reached(async () => {
        const args = [task.taskId, seal(task), ...placeOf(task), ownerOf(task), maxTasks, maxTasksPerCaller];
        const [all, ofOwner = 0] = (await scripts.create([base], args)) as number[];
        if (all !== undefined) requireRoom({ all, ofOwner }, { maxTasks, maxTasksPerCaller });
      }),
    read: (taskId) => reached(async () => (await load(taskId))?.task),
    update: (taskId, by) => reached(() => takeTurn(taskId, () => change(taskId, by))),
    async keepAlive(worker, until) {
      await scripts.keepAlive([base], [worker, until]);
    },
    async abandoned(now, limit) {
      const ids = (await scripts.abandoned([base], [now, limit])) as string[];
      const found: StoredTask[] = [];
      for (let start = 0; start < ids.length; start += readBatch) {
        const batch = await Promise.all(ids.slice(start, start + readBatch).map(load));
        for (const it of batch) if (it) found.push(it.task);
      }
      return found;
    },
    async sweep(now) {
      while ((await scripts.sweep([base], [now, sweepBatch])) === sweepBatch) {}
    },
    async close() {},
  };
}

async function insist<T>(act: () => Promise<T>, until: number): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      await pauseUntil(until, error);
    }
  }
}

/** Rejects with the error when it is too late. */
async function pauseUntil(until: number, error: unknown): Promise<void> {
  if (Date.now() + retryEveryMs > until) throw error;
  await new Promise<void>((resolve) => setTimeout(resolve, retryEveryMs).unref());
}

/** Its expiry, whether it is to be worked on, and by whom. */
function placeOf({ createdAt, ttlMs, status, worker = "" }: StoredTask): [number, number, string] {
  return [createdAt + ttlMs, status === "working" ? 1 : 0, worker];
}

function ownerOf({ owner }: StoredTask): string {
  return owner === undefined ? "" : createHash("sha256").update(owner).digest("base64url");
}

/** Whoever asks is told to come again, rather than that something is wrong. */
async function reached<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMcpError(error) || error instanceof RangeError) throw error;
    throw overloaded("tasks cannot be reached now", retryAfterMs);
  }
}
