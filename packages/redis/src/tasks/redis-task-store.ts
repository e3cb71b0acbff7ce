// Tasks in Redis (F-5), shared by all processes of a server. The store doubles as the queue: workers claim tasks that were
// orphaned or handed back.
import { createHash } from "node:crypto";
import { isMcpError, type JsonObject, overloaded } from "@lethe/protocol";
import { requireRoom, type StoredTask, type TaskStore } from "@lethe/server/stores";
import type { RedisConnection } from "../connection/redis-connection.ts";
import { createTurns } from "../script/take-turns.ts";
import { createEnvelope } from "../seal/envelope.ts";
import { ringOf, type SharedKeys } from "../seal/shared-keys.ts";
import { createTaskScripts } from "./task-scripts.ts";

export interface RedisTaskStoreOptions extends SharedKeys {
  /** Size of one task with arguments, journal and result as JSON, in bytes. Default 16 MiB. */
  maxBytes?: number;
  /** How long a change of a task waits for Redis, in ms. Default 8,000. */
  patienceMs?: number;
}

interface Loaded {
  readonly version: string;
  readonly text: string;
  readonly task: StoredTask;
}

/** Longer ids are unknown without a lookup: ids come from clients. */
const maxIdLength = 200;
/** An attempt fails only if another process changed the task meanwhile. */
const maxAttempts = 100;
/** Tasks deleted in one step, during which Redis serves nothing else. */
const sweepBatch = 200;
/** Abandoned tasks read at a time. */
const readBatch = 50;
const retryEveryMs = 250;
const retryAfterMs = 5_000;

/**
 * Creates the store for the option `tasks.store`. Closing it leaves the connection open. While Redis is away, changes wait for
 * `patienceMs`, so that a short outage loses no step of a journal, and then reject with a retryable McpError. All other methods
 * reject at once. Rejects without keys.
 *
 * @example
 * import { connectRedis, createRedisTaskStore } from "@lethe/redis";
 *
 * const redis = await connectRedis({ url: "redis://127.0.0.1:6379", prefix: "tracker:" });
 * const store = await createRedisTaskStore(redis, { keys: `k1:${"A".repeat(43)}` });
 * console.log(await store.read("unknown")); // undefined
 * redis.close();
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

  /** Undefined also if the task was not written with the keys of the deployment. */
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
      const before = await retryUntil(() => load(taskId), until);
      // The task was written and only the reply was lost: no two encrypted texts are equal.
      if (before && before.text === written) return before.task;
      const task = before && by(before.task);
      if (!task) return undefined;
      written = seal(task);
      const args = [taskId, before.version, written, ...indexOf(task)];
      try {
        if ((await scripts.replace([base], args)) === 1) return task;
      } catch (error) {
        await pauseUntil(until, error);
      }
    }
    throw new Error(`a task was changed concurrently ${maxAttempts} times`);
  }

  return {
    isDurable: true,
    create: (task, { maxTasks, maxTasksPerCaller }) =>
      orRetry(async () => {
        const args = [task.taskId, seal(task), ...indexOf(task), ownerOf(task), maxTasks, maxTasksPerCaller];
        const [all, ofOwner = 0] = (await scripts.create([base], args)) as number[];
        if (all !== undefined) requireRoom({ all, ofOwner }, { maxTasks, maxTasksPerCaller });
      }),
    read: (taskId) => orRetry(async () => (await load(taskId))?.task),
    update: (taskId, by) => orRetry(() => takeTurn(taskId, () => change(taskId, by))),
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

async function retryUntil<T>(act: () => Promise<T>, until: number): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      await pauseUntil(until, error);
    }
  }
}

/** Rejects with the error after the deadline. */
async function pauseUntil(until: number, error: unknown): Promise<void> {
  if (Date.now() + retryEveryMs > until) throw error;
  await new Promise<void>((resolve) => setTimeout(resolve, retryEveryMs).unref());
}

/** The expiry of a task, whether it needs a worker, and its worker. */
function indexOf({ createdAt, ttlMs, status, worker = "" }: StoredTask): [number, number, string] {
  return [createdAt + ttlMs, status === "working" ? 1 : 0, worker];
}

function ownerOf({ owner }: StoredTask): string {
  return owner === undefined ? "" : createHash("sha256").update(owner).digest("base64url");
}

/** Turns an outage into a retryable error. */
async function orRetry<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMcpError(error) || error instanceof RangeError) throw error;
    throw overloaded("tasks cannot be reached now", retryAfterMs);
  }
}
