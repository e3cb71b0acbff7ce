// The tables of a task store that one machine keeps: in memory or in a file. `TableTaskStore` applies the rules of the contract to them.
import type { JournalEntry } from "../interaction/journal.ts";
import type { StoredTask, TaskWork } from "./stored-task.ts";
import type { TaskUsage } from "./task-room.ts";

export interface TaskRow {
  readonly task: StoredTask;
  /** ms since 1970 */
  readonly expiresAt: number;
  /** For a waiting task: since when it waits, from the end of its delay, and from when on it may be acquired, in ms since 1970. */
  readonly waitsSince: number;
  readonly availableAt: number;
}

export interface WorkerRow {
  /** When the lease ends, in ms since 1970. */
  readonly until: number;
  readonly pid?: number;
  readonly host?: string;
}

/** A place in the order of waiting tasks. */
export interface WaitingKey {
  readonly lane: string;
  readonly isSuspect: boolean;
  /** 9 minus the priority: the lower, the earlier. */
  readonly rank: number;
  readonly since: number;
  readonly taskId: string;
}

export interface TaskTables {
  /** Milliseconds since 1970, the same for all processes that share the tables. */
  now(): number;
  /** Runs `act` while no other process changes the tables. `act` must throw before its first write. */
  transact<T>(act: () => T): Promise<T>;

  row(taskId: string): TaskRow | undefined;
  putRow(row: TaskRow): void;
  removeRow(row: TaskRow): void;
  /** The ids of tasks that are expired at `now`, at most `limit`. */
  expired(now: number, limit: number): readonly string[];

  work(taskId: string): TaskWork | undefined;
  /** Throws a retryable McpError if there is no room for the work of a new task. Default: there is. */
  requireRoomFor?(work: TaskWork): void;
  putWork(taskId: string, work: TaskWork): void;
  entries(taskId: string): readonly JournalEntry[];
  entryCount(taskId: string): number;
  addEntry(taskId: string, position: number, entry: JournalEntry): void;
  /** Removes the arguments and the journal of a task. */
  removeWork(taskId: string): void;

  addWaiting(key: WaitingKey): void;
  removeWaiting(key: WaitingKey): void;
  /** The tasks of one lane that wait at `now` in their order, either its suspects or the others. Costs nothing for delayed tasks. */
  waitingIn(lane: string, isSuspect: boolean, now: number): Iterable<WaitingKey>;

  addHeld(worker: string, taskId: string): void;
  removeHeld(worker: string, taskId: string): void;
  heldBy(worker: string): readonly string[];
  workers(): Iterable<readonly [string, WorkerRow]>;
  renewWorker(worker: string, until: number): void;
  removeWorker(worker: string): void;
  /** Whether the process of a worker is known to have ended, even if its lease has not expired. */
  isGone(worker: WorkerRow): boolean;

  usage(owner: string | undefined): TaskUsage;
  count(kind: "live" | "ended", owner: string | undefined, step: 1 | -1): void;
  /** The number of tasks that wait at `now`, without delayed ones, and since when the oldest waits. */
  waiting(now: number): { readonly count: number; readonly oldest: number | undefined };

  /** When a worker was last heard of, and until when no task is taken from a lost worker. 0 at first. */
  contact(): { readonly at: number; readonly quietUntil: number };
  putContact(contact: { readonly at: number; readonly quietUntil: number }): void;
  close(): Promise<void>;
}
