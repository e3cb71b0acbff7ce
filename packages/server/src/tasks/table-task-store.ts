// A task store over tables that one machine keeps (F-5). Each method is one transaction.

import { isTerminal } from "@lethe/protocol";
import type { JournalEntry } from "../interaction/journal.ts";
import { storeDefaults } from "../replicas/store-defaults.ts";
import type { StoredTask } from "./stored-task.ts";
import { culpritOf, isSuspect, lost, outcomeOf, withHoldOf } from "./task-hold.ts";
import { requireRoom } from "./task-room.ts";
import {
  type AcquiredTask,
  type AcquireRequest,
  type CreateOptions,
  type HeldTask,
  lossDelayMs,
  type NewTask,
  type TaskCounts,
  type TaskStore,
} from "./task-store.ts";
import type { TaskRow, TaskTables, WaitingKey } from "./task-tables.ts";

/** Tasks deleted in one transaction, for which other processes wait. */
const sweepBatch = 500;
export const maxIdLength: number = storeDefaults.tasks.maxIdLength;

export class TableTaskStore implements TaskStore {
  readonly isDurable: boolean;
  readonly #tables: TaskTables;

  constructor(tables: TaskTables, isDurable: boolean) {
    this.#tables = tables;
    this.isDurable = isDurable;
  }

  async create(task: NewTask, { work, entries, worker, leaseMs, limits }: CreateOptions): Promise<StoredTask> {
    const tables = this.#tables;
    return tables.transact(() => {
      const now = tables.now();
      requireRoom(tables.usage(task.owner), limits);
      tables.requireRoomFor?.(work);
      const created = { ...task, createdAt: now, lastUpdatedAt: now, worker, fence: 1, losses: 0, deaths: 0 };
      this.#hear(worker, leaseMs, now);
      this.#write(undefined, created, now);
      tables.count("live", task.owner, 1);
      tables.putWork(task.taskId, work);
      for (const [position, entry] of entries.entries()) tables.addEntry(task.taskId, position, entry);
      return created;
    });
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    return this.#find(taskId)?.task;
  }

  async update(
    taskId: string,
    change: (task: StoredTask, now: number) => StoredTask | undefined,
    fence?: number,
  ): Promise<StoredTask | undefined> {
    return this.#tables.transact(() => {
      const row = this.#find(taskId);
      if (!row || (fence !== undefined && row.task.fence !== fence)) return undefined;
      const now = this.#tables.now();
      const changed = change(row.task, now);
      if (!changed) return undefined;
      const held = withHoldOf(row.task, changed, outcomeOf(row.task, changed));
      return this.#write(row, { ...held, delayMs: changed.delayMs }, now);
    });
  }

  async append(
    { taskId, fence }: HeldTask,
    position: number,
    entries: readonly JournalEntry[],
  ): Promise<number | undefined> {
    const tables = this.#tables;
    return tables.transact(() => {
      const row = this.#find(taskId);
      if (row?.task.worker === undefined || row.task.fence !== fence) return undefined;
      const count = tables.entryCount(taskId);
      if (count < position) return count;
      for (const [index, entry] of entries.entries()) {
        if (position + index >= count) tables.addEntry(taskId, position + index, entry);
      }
      if (row.task.losses > 0) tables.putRow({ ...row, task: { ...row.task, losses: 0 } });
      return Math.max(count, position + entries.length);
    });
  }

  async acquire(worker: string, request: AcquireRequest): Promise<readonly AcquiredTask[]> {
    return this.#tables.transact(() => {
      const now = this.#tables.now();
      this.#hear(worker, request.leaseMs, now);
      this.#takeFromLostWorkers(now);
      return this.#choose(request, now).map((row) => this.#assign(row, worker, now));
    });
  }

  /** Notes that a worker was heard of. After a silence of all workers, starts the time in which no task is put back. */
  #hear(worker: string, leaseMs: number, now: number): void {
    const { at, quietUntil } = this.#tables.contact();
    const wasSilent = now - at > leaseMs / 2;
    this.#tables.putContact({ at: now, quietUntil: wasSilent ? now + leaseMs : quietUntil });
    this.#tables.renewWorker(worker, now + leaseMs);
  }

  #takeFromLostWorkers(now: number): void {
    const tables = this.#tables;
    const isQuiet = now < tables.contact().quietUntil;
    const lostWorkers = [...tables.workers()].filter(([, row]) => tables.isGone(row) || (row.until <= now && !isQuiet));
    for (const [worker] of lostWorkers) {
      const rows = tables.heldBy(worker).flatMap((taskId) => this.#find(taskId) ?? []);
      const culprit = culpritOf(rows.map(({ task }) => task));
      for (const row of rows) {
        const task = lost(row.task, row.task === culprit);
        this.#write(row, { ...task, delayMs: lossDelayMs(task.losses) }, now);
      }
      tables.removeWorker(worker);
    }
  }

  #choose({ lanes, limit, mayBeSuspect, taskId }: AcquireRequest, now: number): TaskRow[] {
    const isAvailable = (row: TaskRow | undefined): row is TaskRow => row !== undefined && row.availableAt <= now;
    if (taskId !== undefined) {
      const row = this.#find(taskId);
      const isWaiting = row?.task.status === "working" && row.task.worker === undefined;
      return isWaiting && isAvailable(row) && (mayBeSuspect || !isSuspect(row.task)) ? [row] : [];
    }
    const found: TaskRow[] = [];
    for (const areSuspects of mayBeSuspect ? [true, false] : [false]) {
      const most = areSuspects ? Math.min(limit, 1) : limit - found.length;
      const rows = lanes.flatMap((lane) => this.#firstIn(lane, areSuspects, most, isAvailable));
      found.push(...rows.sort(byTurn).slice(0, most));
    }
    return found;
  }

  #firstIn(lane: string, areSuspects: boolean, limit: number, isAvailable: (row?: TaskRow) => boolean): TaskRow[] {
    const rows: TaskRow[] = [];
    for (const { taskId } of this.#tables.waitingIn(lane, areSuspects, this.#tables.now())) {
      if (rows.length >= limit) break;
      const row = this.#find(taskId);
      if (row && isAvailable(row)) rows.push(row);
    }
    return rows;
  }

  #assign(row: TaskRow, worker: string, now: number): AcquiredTask {
    const { taskId } = row.task;
    const task = this.#write(row, { ...row.task, worker, fence: row.task.fence + 1 }, now);
    const work = this.#tables.work(taskId);
    if (!work) throw new Error("a waiting task has no work");
    return { task, work, entries: this.#tables.entries(taskId), expiresInMs: row.expiresAt - now };
  }

  async renew(worker: string, leaseMs: number): Promise<readonly HeldTask[]> {
    return this.#tables.transact(() => {
      this.#hear(worker, leaseMs, this.#tables.now());
      return this.#tables.heldBy(worker).flatMap((taskId) => {
        const row = this.#find(taskId);
        return row ? [{ taskId, fence: row.task.fence }] : [];
      });
    });
  }

  async retire(worker: string): Promise<void> {
    await this.#tables.transact(() => {
      const now = this.#tables.now();
      for (const taskId of this.#tables.heldBy(worker)) {
        const row = this.#tables.row(taskId);
        if (row) this.#write(row, { ...row.task, worker: undefined }, now);
      }
      this.#tables.removeWorker(worker);
    });
  }

  async counts(): Promise<TaskCounts> {
    const tables = this.#tables;
    return tables.transact(() => {
      let running = 0;
      for (const [worker] of tables.workers()) running += tables.heldBy(worker).length;
      const { count, oldest } = tables.waiting(tables.now());
      const { live, ended } = tables.usage(undefined);
      const oldestWaitingMs = oldest === undefined ? 0 : Math.max(0, tables.now() - oldest);
      return { running, waiting: count, oldestWaitingMs, live, ended };
    });
  }

  async sweep(): Promise<void> {
    for (let deleted = sweepBatch; deleted === sweepBatch; ) {
      deleted = await this.#tables.transact(() => {
        const due = this.#tables.expired(this.#tables.now(), sweepBatch);
        for (const taskId of due) this.#remove(taskId);
        return due.length;
      });
    }
  }

  async close(): Promise<void> {
    await this.#tables.close();
  }

  #find(taskId: string): TaskRow | undefined {
    const row = taskId.length > maxIdLength ? undefined : this.#tables.row(taskId);
    return row && row.expiresAt > this.#tables.now() ? row : undefined;
  }

  #write(before: TaskRow | undefined, { delayMs, ...task }: StoredTask, now: number): StoredTask {
    const tables = this.#tables;
    const wasLive = before !== undefined && !isTerminal(before.task.status);
    const waits = isWaiting(task);
    const { waitsSince, availableAt } = waits ? placeInTime(before, delayMs, now) : { waitsSince: 0, availableAt: 0 };
    const row: TaskRow = { task, expiresAt: task.createdAt + task.ttlMs, waitsSince, availableAt };
    if (before) this.#removeFromIndexes(before);
    if (waits) tables.addWaiting(keyOf(row));
    if (task.worker !== undefined) tables.addHeld(task.worker, task.taskId);
    tables.putRow(row);
    if (wasLive && isTerminal(task.status)) {
      tables.count("live", task.owner, -1);
      tables.count("ended", task.owner, 1);
      tables.removeWork(task.taskId);
    }
    return task;
  }

  #remove(taskId: string): void {
    const row = this.#tables.row(taskId);
    if (!row) return;
    this.#removeFromIndexes(row);
    this.#tables.removeRow(row);
    this.#tables.removeWork(taskId);
    this.#tables.count(isTerminal(row.task.status) ? "ended" : "live", row.task.owner, -1);
  }

  #removeFromIndexes(row: TaskRow): void {
    const { task } = row;
    if (isWaiting(task)) this.#tables.removeWaiting(keyOf(row));
    if (task.worker !== undefined) this.#tables.removeHeld(task.worker, task.taskId);
  }
}

/** A task that waits already keeps its place, and the end of its delay unless the update sets another one. */
function placeInTime(
  before: TaskRow | undefined,
  delayMs: number | undefined,
  now: number,
): Pick<TaskRow, "waitsSince" | "availableAt"> {
  if (before && isWaiting(before.task) && delayMs === undefined) return before;
  const due = now + (delayMs ?? 0);
  return { waitsSince: due, availableAt: due };
}

function isWaiting({ status, worker }: StoredTask): boolean {
  return status === "working" && worker === undefined;
}

function keyOf({ task, waitsSince }: TaskRow): WaitingKey {
  const { lane, priority, taskId } = task;
  return { lane, isSuspect: isSuspect(task), rank: 9 - priority, since: waitsSince, taskId };
}

function byTurn(one: TaskRow, other: TaskRow): number {
  return other.task.priority - one.task.priority || one.waitsSince - other.waitsSince;
}
