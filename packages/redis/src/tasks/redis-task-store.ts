// Tasks in Redis (F-5), shared by all processes of a server. The store doubles as the queue: workers acquire tasks that wait, were
// handed back or lost their worker. Each method is one script, except a change, which repeats until no other process changes the task.

import { createHash } from "node:crypto";
import { checkOptions, isMcpError, type KnownOptions } from "@lethe/protocol";
import {
  createTaskCipher,
  knownSharedKeys,
  type SharedKeys,
  type StoredText,
  type TaskCipher,
  toStoredTask,
} from "@lethe/server/sealing";
import {
  type AcquiredTask,
  type AcquireRequest,
  type CreateOptions,
  createTurns,
  type HeldTask,
  type NewTask,
  outcomeOf,
  requireRoom,
  type StoredTask,
  storeDefaults,
  storeUnavailable,
  type TaskCounts,
  type TaskStore,
  withHoldOf,
} from "@lethe/server/stores";
import type { RedisLink } from "../connection/redis-link.ts";
import { createPreviousTasks, type PreviousTasks } from "./previous-format.ts";
import { createTaskScripts, type TaskScripts } from "./task-scripts.ts";

/** Options of `createRedisTaskStore`. */
export interface RedisTaskStoreOptions extends SharedKeys {
  /** Size of the state, of the arguments, of one entry of the journal, as JSON in bytes. Default 16 MiB. */
  maxBytes?: number;
}

const knownRedisTaskStoreOptions: KnownOptions<RedisTaskStoreOptions> = { ...knownSharedKeys, maxBytes: true };

type Append = TaskStore["append"];
type Change = (task: StoredTask, now: number) => StoredTask | undefined;

interface Loaded {
  readonly task: StoredTask;
  readonly version: string;
  readonly now: number;
}

/** Longer ids are unknown without a lookup: ids come from clients. */
const { maxIdLength } = storeDefaults.tasks;
/** An attempt fails only if another process changed the task meanwhile. */
const maxAttempts = 100;
/** Tasks deleted in one step, during which Redis serves nothing else. */
const sweepBatch = 200;

/**
 * Creates the store for the option `tasks.store`. Closing it leaves the connection open. While Redis is out of reach, its methods reject with
 * a retryable McpError, and running tasks wait. Rejects without keys.
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
  redis: Pick<RedisLink, "client" | "nameOf">,
  options: RedisTaskStoreOptions = {},
): Promise<TaskStore> {
  checkOptions("createRedisTaskStore", options, knownRedisTaskStoreOptions);
  const { maxBytes = 16 * 1024 * 1024 } = options;
  const cipher = await createTaskCipher(options, maxBytes);
  const previous = await createPreviousTasks(redis, options, maxBytes);
  return new RedisTaskStore({ cipher, previous, scripts: createTaskScripts(redis), base: redis.nameOf("tasks:2") });
}

interface RedisTaskStoreParts {
  readonly cipher: TaskCipher;
  readonly previous: PreviousTasks;
  readonly scripts: TaskScripts;
  /** The prefix of all keys. */
  readonly base: string;
}

class RedisTaskStore implements TaskStore {
  readonly isDurable = true;
  readonly #cipher: TaskCipher;
  readonly #previous: PreviousTasks;
  readonly #scripts: TaskScripts;
  readonly #keys: [string];
  readonly #takeTurn = createTurns();

  constructor({ cipher, previous, scripts, base }: RedisTaskStoreParts) {
    this.#cipher = cipher;
    this.#previous = previous;
    this.#scripts = scripts;
    this.#keys = [base];
  }

  async create(task: NewTask, { work, entries, worker, leaseMs, limits }: CreateOptions): Promise<StoredTask> {
    const { taskId, ttlMs, lane, priority } = task;
    const content = [this.#cipher.sealState(task), this.#cipher.sealWork(taskId, work)];
    const { maxTasks, maxTasksPerCaller, maxEnded, maxEndedPerCaller } = limits;
    const index = [digestOf(task.owner), ttlMs, lane, priority, worker, leaseMs];
    const bounds = [maxTasks, maxTasksPerCaller, maxEnded, maxEndedPerCaller];
    const sealed = entries.map((entry, position) => this.#cipher.sealEntry(taskId, position, entry));
    const answer = await this.#run("create", [taskId, ...content, ...index, ...bounds, ...sealed]);
    const [isDone, first = 0, liveOfOwner = 0, ended = 0, endedOfOwner = 0] = answer as number[];
    if (isDone === 0) requireRoom({ live: first, liveOfOwner, ended, endedOfOwner }, limits);
    return toStoredTask(task, { createdAt: String(first), worker, fence: "1", losses: "0", deaths: "0" });
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    if (taskId.length > maxIdLength) return undefined;
    return (await this.#load(taskId))?.task ?? reached(() => this.#previous.read(taskId));
  }

  /** Undefined also if the task was not written with the keys of the deployment. */
  async #load(taskId: string): Promise<Loaded | undefined> {
    if (taskId.length > maxIdLength) return undefined;
    const [state, version = "", createdAt = "", worker, fence = "", losses = "", deaths = "", now] = (await this.#run(
      "load",
      [taskId],
    )) as [string?, string?, string?, StoredText?, string?, string?, string?, string?];
    const opened = this.#cipher.openState(taskId, state);
    if (!opened) return undefined;
    return { task: toStoredTask(opened, { createdAt, worker, fence, losses, deaths }), version, now: Number(now) };
  }

  update(taskId: string, change: Change, fence?: number): Promise<StoredTask | undefined> {
    return this.#takeTurn(taskId, () => this.#change(taskId, change, fence));
  }

  async #change(taskId: string, change: Change, fence: number | undefined): Promise<StoredTask | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const loaded = await this.#load(taskId);
      if (!loaded || (fence !== undefined && loaded.task.fence !== fence)) return undefined;
      const { task: before, version, now } = loaded;
      const changed = change(before, now);
      if (!changed) return undefined;
      const becomes = outcomeOf(before, changed);
      const args: (string | number)[] = [
        taskId,
        version,
        this.#cipher.sealState(changed),
        changed.ttlMs,
        becomes,
        changed.delayMs ?? "",
      ];
      args.push(Math.min(before.deaths, changed.deaths));
      if ((await this.#run("replace", args)) === 1) return withHoldOf(before, changed, becomes);
    }
    throw new Error(`a task was changed concurrently ${maxAttempts} times`);
  }

  async append(
    { taskId, fence }: HeldTask,
    position: number,
    entries: Parameters<Append>[2],
  ): Promise<number | undefined> {
    const sealed = entries.map((entry, index) => this.#cipher.sealEntry(taskId, position + index, entry));
    const length = (await this.#run("append", [taskId, fence, position, ...sealed])) as number;
    return length < 0 ? undefined : length;
  }

  async acquire(worker: string, request: AcquireRequest): Promise<readonly AcquiredTask[]> {
    const { lanes, limit, mayBeSuspect, leaseMs, taskId = "" } = request;
    const args = [worker, leaseMs, limit, mayBeSuspect ? 1 : 0, taskId, ...lanes];
    const [now, ...tasks] = (await this.#run("acquire", args)) as [string, ...[string, StoredText[], string[]][]];
    return tasks.flatMap((task) => this.#open(Number(now), task) ?? []);
  }

  #open(now: number, [taskId, content, journal]: [string, StoredText[], string[]]): AcquiredTask | undefined {
    const [state, createdAt, worker, fence, losses, deaths, expiry, sealedWork] = content as string[];
    const opened = this.#cipher.openState(taskId, state);
    const work = this.#cipher.openWork(taskId, sealedWork);
    const entries = journal.flatMap((text, position) => this.#cipher.openEntry(taskId, position, text) ?? []);
    if (!opened || !work || !createdAt || !fence || !losses || !deaths || entries.length < journal.length)
      return undefined;
    const task = toStoredTask(opened, { createdAt, worker, fence, losses, deaths });
    return { task, work, entries, expiresInMs: Number(expiry) - now };
  }

  async renew(worker: string, leaseMs: number): Promise<readonly HeldTask[]> {
    const answer = (await this.#run("renew", [worker, leaseMs])) as string[];
    const held: HeldTask[] = [];
    for (let index = 0; index < answer.length; index += 2) {
      held.push({ taskId: answer[index] as string, fence: Number(answer[index + 1]) });
    }
    return held;
  }

  async retire(worker: string): Promise<void> {
    await this.#run("retire", [worker]);
  }

  async counts(): Promise<TaskCounts> {
    const answer = (await this.#run("count", [])) as [number, number, number, number, number];
    const [running, waiting, oldestWaitingMs, live, ended] = answer;
    return { running, waiting, oldestWaitingMs, live, ended };
  }

  async sweep(): Promise<void> {
    while (((await this.#run("sweep", [sweepBatch])) as number) >= sweepBatch) {}
    await reached(() => this.#previous.sweep());
  }

  async close(): Promise<void> {}

  #run(name: keyof TaskScripts, args: (string | number)[]): Promise<unknown> {
    return reached(() => this.#scripts[name](this.#keys, args));
  }
}

/** Turns an outage into a retryable error. */
async function reached<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMcpError(error)) throw error;
    // Without the command, which contains a whole task.
    throw storeUnavailable(error instanceof Error ? new Error(error.message) : error);
  }
}

function digestOf(owner: string | undefined): string {
  return owner === undefined ? "" : createHash("sha256").update(owner).digest("base64url");
}
