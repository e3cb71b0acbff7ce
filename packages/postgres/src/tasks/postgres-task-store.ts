// Tasks in PostgreSQL (F-5), shared by all processes of a server. The store doubles as the queue: workers acquire tasks that wait, were
// handed back or lost their worker. Each method is one statement or one transaction.

import { createHash } from "node:crypto";
import { checkOptions, isMcpError, type KnownOptions } from "@lethe/protocol";
import {
  createTaskCipher,
  knownSharedKeys,
  type SharedKeys,
  type TaskCipher,
  toStoredTask,
} from "@lethe/server/sealing";
import {
  type AcquiredTask,
  type AcquireRequest,
  type CreateOptions,
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
import type { PostgresLink, Run } from "../connection/postgres-link.ts";
import { deleteExpiredTasks } from "../connection/sweeper.ts";
import { type AcquiredRow, acquireRows, type TaskRow } from "./acquire.ts";
import { appendEntries, insertTask, lockTask, lockUsage, readTask, replaceTask } from "./one-task-statements.ts";
import { countTasks, hearWorker, listHeldTasks, readJournals, retireWorker } from "./worker-statements.ts";

/** Options of `createPostgresTaskStore`. */
export interface PostgresTaskStoreOptions extends SharedKeys {
  /** Size of the state, of the arguments, of one entry of the journal, as JSON in bytes. Default 16 MiB. */
  maxBytes?: number;
}

const knownPostgresTaskStoreOptions: KnownOptions<PostgresTaskStoreOptions> = { ...knownSharedKeys, maxBytes: true };

/** Longer ids are unknown without a lookup: ids come from clients. */
const { maxIdLength } = storeDefaults.tasks;

/**
 * Creates the store for the option `tasks.store`. Closing it leaves the connection open. While PostgreSQL cannot be reached, its methods
 * reject with a retryable McpError, and running tasks wait. Rejects without keys.
 *
 * @example
 * import { connectPostgres, createPostgresTaskStore } from "@lethe/postgres";
 *
 * const postgres = await connectPostgres({ url: "postgres://lethe@127.0.0.1:5432/lethe", prefix: "tracker:" });
 * const store = await createPostgresTaskStore(postgres, { keys: `k1:${"A".repeat(43)}` });
 * console.log(await store.read("unknown")); // undefined
 * await postgres.close();
 */
export async function createPostgresTaskStore(
  postgres: Pick<PostgresLink, "prefix" | "run" | "transact">,
  options: PostgresTaskStoreOptions = {},
): Promise<TaskStore> {
  checkOptions("createPostgresTaskStore", options, knownPostgresTaskStoreOptions);
  const { maxBytes = 16 * 1024 * 1024 } = options;
  return new PostgresTaskStore(postgres, await createTaskCipher(options, maxBytes));
}

interface Usage {
  readonly live: number;
  readonly ended: number;
}

/** Workers of one process. Those that did not retire are forgotten in the order of their last contact. */
const maxWorkers = 1_000;

class PostgresTaskStore implements TaskStore {
  readonly isDurable = true;
  readonly #postgres: Pick<PostgresLink, "prefix" | "run" | "transact">;
  readonly #prefix: string;
  readonly #cipher: TaskCipher;
  /**
   * The workers that use this store. A stand-by that becomes the primary may lack the last acquisitions, and the next ones then get the same
   * fences. So the fence alone does not prove that a task is still held here.
   */
  readonly #workers = new Set<string>();

  constructor(postgres: Pick<PostgresLink, "prefix" | "run" | "transact">, cipher: TaskCipher) {
    this.#postgres = postgres;
    this.#prefix = postgres.prefix;
    this.#cipher = cipher;
  }

  async create(task: NewTask, { work, entries, worker, leaseMs, limits }: CreateOptions): Promise<StoredTask> {
    const { taskId, ttlMs, lane, priority } = task;
    this.#heard(worker);
    const owner = digestOf(task.owner);
    const content = [this.#cipher.sealState(task), this.#cipher.sealWork(taskId, work), ttlMs, worker, leaseMs];
    const sealed = entries.map((entry, position) => this.#cipher.sealEntry(taskId, position, entry));
    const values = [this.#prefix, taskId, owner, lane, priority, ...content, sealed];
    await reached(() => this.#postgres.run(hearWorker, [this.#prefix, worker, leaseMs]));
    const insert = (): Promise<number> =>
      reached(() =>
        this.#postgres.transact(async (run) => {
          const { live, ended } = await this.#lockUsage(run, "");
          const own = owner === "" ? { live: 0, ended: 0 } : await this.#lockUsage(run, owner);
          requireRoom({ live, ended, liveOfOwner: own.live, endedOfOwner: own.ended }, limits);
          const [created] = await run<{ createdAt: number }>(insertTask, values);
          return created?.createdAt ?? 0;
        }),
      );
    const createdAt = await insert().catch(async (error: unknown) => {
      if (!isMcpError(error)) throw error;
      // Expired tasks that were not deleted yet need no room.
      await this.sweep();
      return insert();
    });
    return toStoredTask(task, { createdAt, worker, fence: 1, losses: 0, deaths: 0 });
  }

  #heard(worker: string): void {
    this.#workers.delete(worker);
    this.#workers.add(worker);
    if (this.#workers.size > maxWorkers) this.#workers.delete(this.#workers.values().next().value as string);
  }

  /** A task that was handed back keeps its fence, and no worker holds it. */
  #isHeldWith(fence: number, task: TaskRow): boolean {
    return task.fence === fence && (task.worker === null || this.#workers.has(task.worker));
  }

  async #lockUsage(run: Run, owner: string): Promise<Usage> {
    const [usage] = await run<Usage>(lockUsage, [this.#prefix, owner]);
    return usage ?? { live: 0, ended: 0 };
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    if (!mayExist(taskId)) return undefined;
    const [row] = await reached(() => this.#postgres.run<TaskRow>(readTask, [this.#prefix, taskId]));
    return row && this.#toTask(taskId, row);
  }

  /** Undefined also if the task was not written with the keys of the deployment. */
  #toTask(taskId: string, row: TaskRow): StoredTask | undefined {
    const opened = this.#cipher.openState(taskId, row.state);
    return opened && toStoredTask(opened, row);
  }

  async update(
    taskId: string,
    change: (task: StoredTask, now: number) => StoredTask | undefined,
    fence?: number,
  ): Promise<StoredTask | undefined> {
    if (!mayExist(taskId)) return undefined;
    return reached(() =>
      this.#postgres.transact(async (run) => {
        const [row] = await run<TaskRow & { now: number }>(lockTask, [this.#prefix, taskId]);
        const before = row && this.#toTask(taskId, row);
        if (!before || (fence !== undefined && !this.#isHeldWith(fence, row))) return undefined;
        const changed = change(before, row.now);
        if (!changed) return undefined;
        const becomes = outcomeOf(before, changed);
        const { ttlMs, delayMs = null } = changed;
        const deaths = Math.min(before.deaths, changed.deaths);
        const state = this.#cipher.sealState(changed);
        await run(replaceTask, [this.#prefix, taskId, state, ttlMs, becomes, delayMs, deaths]);
        return withHoldOf(before, changed, becomes);
      }),
    );
  }

  async append(
    { taskId, fence }: HeldTask,
    position: number,
    entries: Parameters<TaskStore["append"]>[2],
  ): Promise<number | undefined> {
    if (!mayExist(taskId)) return undefined;
    const sealed = entries.map((entry, index) => this.#cipher.sealEntry(taskId, position + index, entry));
    const values = [this.#prefix, taskId, fence, position, sealed, [...this.#workers]];
    const [known] = await reached(() => this.#postgres.run<{ length: number }>(appendEntries, values));
    if (!known || known.length < position) return known?.length;
    return Math.max(known.length, position + entries.length);
  }

  async acquire(worker: string, request: AcquireRequest): Promise<readonly AcquiredTask[]> {
    if (request.taskId !== undefined && !mayExist(request.taskId)) return [];
    this.#heard(worker);
    const rows = await reached(() => acquireRows(this.#postgres, worker, request));
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const entries = await reached(() =>
      this.#postgres.run<{ taskId: string; entry: string }>(readJournals, [this.#prefix, ids]),
    );
    const journals = new Map(ids.map((id): [string, string[]] => [id, []]));
    for (const { taskId, entry } of entries) journals.get(taskId)?.push(entry);
    return rows.flatMap((row) => this.#open(row, journals.get(row.id) ?? []) ?? []);
  }

  #open(row: AcquiredRow, texts: readonly string[]): AcquiredTask | undefined {
    const task = this.#toTask(row.id, row);
    const work = this.#cipher.openWork(row.id, row.work);
    const entries = texts.flatMap((text, position) => this.#cipher.openEntry(row.id, position, text) ?? []);
    if (!task || !work || entries.length < texts.length) return undefined;
    return { task, work, entries, expiresInMs: row.expiresInMs };
  }

  async renew(worker: string, leaseMs: number): Promise<readonly HeldTask[]> {
    this.#heard(worker);
    return reached(async () => {
      await this.#postgres.run(hearWorker, [this.#prefix, worker, leaseMs]);
      return this.#postgres.run<HeldTask>(listHeldTasks, [this.#prefix, worker]);
    });
  }

  async retire(worker: string): Promise<void> {
    await reached(() => this.#postgres.run(retireWorker, [this.#prefix, worker]));
    this.#workers.delete(worker);
  }

  async counts(): Promise<TaskCounts> {
    const [counts] = await reached(() => this.#postgres.run<TaskCounts>(countTasks, [this.#prefix]));
    return counts as TaskCounts;
  }

  async sweep(): Promise<void> {
    await reached(() => deleteExpiredTasks(this.#postgres.run));
  }

  async close(): Promise<void> {}
}

/** Turns an outage into a retryable error. */
async function reached<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isMcpError(error) || error instanceof RangeError) throw error;
    throw storeUnavailable(error);
  }
}

/** PostgreSQL stores no text with U+0000, and the ids of tasks come from clients. */
function mayExist(taskId: string): boolean {
  return taskId.length <= maxIdLength && !taskId.includes("\0");
}

function digestOf(owner: string | undefined): string {
  return owner === undefined ? "" : createHash("sha256").update(owner).digest("base64url");
}
