// The default task store: in the memory of one process.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";
import type { JournalEntry } from "../interaction/journal.ts";
import { CountedWork } from "./counted-work.ts";
import type { StoredTask, TaskWork } from "./stored-task.ts";
import { TableTaskStore } from "./table-task-store.ts";
import type { TaskUsage } from "./task-room.ts";
import type { TaskStore } from "./task-store.ts";
import type { TaskRow, TaskTables, WaitingKey, WorkerRow } from "./task-tables.ts";

/** A task store in memory, which also lists its tasks. Created by `createMemoryTaskStore`. */
export interface MemoryTaskStore extends TaskStore {
  /** All tasks, oldest first, with expired ones until the next sweep. */
  readonly tasks: Iterable<StoredTask>;
}

/** Options of `createMemoryTaskStore`. */
export interface MemoryTaskStoreOptions {
  /** Default: the clock of this process. */
  clock?: Clock;
}

const knownMemoryTaskStoreOptions: KnownOptions<MemoryTaskStoreOptions> = { clock: true };

/**
 * Creates a task store for one process. It is not durable: its tasks are lost when the process ends.
 *
 * @example
 * import { createMemoryTaskStore } from "@lethe/server/stores";
 *
 * const store = createMemoryTaskStore();
 * console.log(await store.read("unknown")); // undefined
 */
export function createMemoryTaskStore(options: MemoryTaskStoreOptions = {}): MemoryTaskStore {
  checkOptions("createMemoryTaskStore", options, knownMemoryTaskStoreOptions);
  const { clock = systemClock } = options;
  return new MemoryStore(new MemoryTables(clock));
}

/** The store of a parent for its workers: their tasks outlive them. */
export interface ParentTaskStore extends TaskStore {
  /** The time of the store, in ms since 1970. */
  now(): number;
  /** The process of this task worker has ended: the next `acquire` takes its tasks from it. */
  workerEnded(worker: string): void;
}

export function createParentTaskStore(clock: Clock = systemClock): ParentTaskStore {
  const tables = new MemoryTables(clock);
  const store = new TableTaskStore(tables, true);
  return Object.assign(store, {
    now: () => tables.now(),
    workerEnded: (worker: string) => tables.workerEnded(worker),
  });
}

/** The lease of a task worker whose process has ended. */
const endedLease = Number.NEGATIVE_INFINITY;

class MemoryStore extends TableTaskStore implements MemoryTaskStore {
  readonly #tables: MemoryTables;

  constructor(tables: MemoryTables) {
    super(tables, false);
    this.#tables = tables;
  }

  get tasks(): Iterable<StoredTask> {
    return this.#tables.tasks();
  }
}

class MemoryTables implements TaskTables {
  readonly #clock: Clock;
  /**
   * The wall time at which the clock was 0: the wall clock may jump, and the time of a store must not. Read on first use: some platforms
   * have no time while they load modules.
   */
  #startedAt: number | undefined;
  readonly #rows = new Map<string, TaskRow>();
  readonly #works = new Map<string, TaskWork>();
  readonly #counted = new CountedWork();
  readonly #journals = new Map<string, JournalEntry[]>();
  readonly #waiting = new Map<string, WaitingKey[]>();
  readonly #held = new Map<string, Set<string>>();
  readonly #workers = new Map<string, WorkerRow>();
  readonly #counts = new Map<string, number>();
  #contact = { at: 0, quietUntil: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  *tasks(): Iterable<StoredTask> {
    for (const { task } of this.#rows.values()) yield task;
  }

  now(): number {
    this.#startedAt ??= this.#clock.wallTime() - this.#clock.now();
    return Math.floor(this.#startedAt + this.#clock.now());
  }

  async transact<T>(act: () => T): Promise<T> {
    return act();
  }

  row(taskId: string): TaskRow | undefined {
    return this.#rows.get(taskId);
  }

  putRow(row: TaskRow): void {
    this.#rows.set(row.task.taskId, row);
  }

  removeRow({ task }: TaskRow): void {
    this.#rows.delete(task.taskId);
  }

  expired(now: number, limit: number): readonly string[] {
    const found: string[] = [];
    for (const [taskId, { expiresAt }] of this.#rows) {
      if (found.length === limit) break;
      if (expiresAt <= now) found.push(taskId);
    }
    return found;
  }

  work(taskId: string): TaskWork | undefined {
    return this.#works.get(taskId);
  }

  requireRoomFor(work: TaskWork): void {
    this.#counted.requireRoom(work);
  }

  putWork(taskId: string, work: TaskWork): void {
    this.#works.set(taskId, work);
    this.#counted.add(taskId, work);
  }

  entries(taskId: string): readonly JournalEntry[] {
    return [...(this.#journals.get(taskId) ?? [])];
  }

  entryCount(taskId: string): number {
    return this.#journals.get(taskId)?.length ?? 0;
  }

  addEntry(taskId: string, _position: number, entry: JournalEntry): void {
    const journal = this.#journals.get(taskId);
    if (journal) journal.push(entry);
    else this.#journals.set(taskId, [entry]);
  }

  removeWork(taskId: string): void {
    this.#works.delete(taskId);
    this.#counted.remove(taskId);
    this.#journals.delete(taskId);
  }

  addWaiting(key: WaitingKey): void {
    const name = laneOf(key.lane, key.isSuspect);
    const lane = this.#waiting.get(name);
    if (lane) lane.splice(placeOf(lane, key), 0, key);
    else this.#waiting.set(name, [key]);
  }

  removeWaiting(key: WaitingKey): void {
    const name = laneOf(key.lane, key.isSuspect);
    const lane = this.#waiting.get(name);
    if (!lane) return;
    const place = placeOf(lane, key);
    if (lane[place]?.taskId === key.taskId) lane.splice(place, 1);
    if (lane.length === 0) this.#waiting.delete(name);
  }

  *waitingIn(lane: string, isSuspect: boolean, now: number): Iterable<WaitingKey> {
    const keys = this.#waiting.get(laneOf(lane, isSuspect)) ?? [];
    for (let place = 0; place < keys.length; ) {
      const key = keys[place] as WaitingKey;
      if (key.since <= now) {
        yield key;
        place += 1;
      } else place = placeOf(keys, { ...key, rank: key.rank + 1, since: 0, taskId: "" });
    }
  }

  addHeld(worker: string, taskId: string): void {
    const held = this.#held.get(worker);
    if (held) held.add(taskId);
    else this.#held.set(worker, new Set([taskId]));
  }

  removeHeld(worker: string, taskId: string): void {
    const held = this.#held.get(worker);
    held?.delete(taskId);
    if (held?.size === 0) this.#held.delete(worker);
  }

  heldBy(worker: string): readonly string[] {
    return [...(this.#held.get(worker) ?? [])];
  }

  workers(): Iterable<readonly [string, WorkerRow]> {
    return this.#workers;
  }

  renewWorker(worker: string, until: number): void {
    this.#workers.set(worker, { until });
  }

  removeWorker(worker: string): void {
    this.#workers.delete(worker);
  }

  workerEnded(worker: string): void {
    if (this.#workers.has(worker)) this.#workers.set(worker, { until: endedLease });
  }

  isGone({ until }: WorkerRow): boolean {
    return until === endedLease;
  }

  usage(owner: string | undefined): TaskUsage {
    const count = (name: string): number => this.#counts.get(name) ?? 0;
    return {
      live: count("live"),
      ended: count("ended"),
      liveOfOwner: owner === undefined ? 0 : count(`live ${owner}`),
      endedOfOwner: owner === undefined ? 0 : count(`ended ${owner}`),
    };
  }

  count(kind: "live" | "ended", owner: string | undefined, step: 1 | -1): void {
    for (const name of owner === undefined ? [kind] : [kind, `${kind} ${owner}`]) {
      const sum = (this.#counts.get(name) ?? 0) + step;
      if (sum > 0) this.#counts.set(name, sum);
      else this.#counts.delete(name);
    }
  }

  waiting(now: number): { count: number; oldest: number | undefined } {
    let count = 0;
    let oldest: number | undefined;
    for (const lane of this.#waiting.values()) {
      for (const { since } of lane) {
        if (since > now) continue;
        count += 1;
        oldest = Math.min(oldest ?? since, since);
      }
    }
    return { count, oldest };
  }

  contact(): { at: number; quietUntil: number } {
    return this.#contact;
  }

  putContact(contact: { at: number; quietUntil: number }): void {
    this.#contact = contact;
  }

  async close(): Promise<void> {
    for (const table of [this.#rows, this.#works, this.#journals, this.#waiting, this.#held]) table.clear();
    this.#workers.clear();
    this.#counted.clear();
    this.#counts.clear();
  }
}

function laneOf(lane: string, isSuspect: boolean): string {
  return `${isSuspect ? "s" : "w"} ${lane}`;
}

/** Where the key is, or belongs, in the sorted list. */
function placeOf(lane: readonly WaitingKey[], key: WaitingKey): number {
  let low = 0;
  for (let high = lane.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (isBefore(lane[middle] as WaitingKey, key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isBefore(one: WaitingKey, other: WaitingKey): boolean {
  if (one.rank !== other.rank) return one.rank < other.rank;
  if (one.since !== other.since) return one.since < other.since;
  return one.taskId < other.taskId;
}
