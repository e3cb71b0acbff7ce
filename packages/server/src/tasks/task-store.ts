// The interface of task stores (F-5): in memory, in a file, or on another machine.
import { isMcpError, type McpError, overloaded, refusalOf } from "@lethe/protocol";
import type { JournalEntry } from "../interaction/journal.ts";
import type { StoredTask, TaskHold, TaskWork } from "./stored-task.ts";

/** Limits that `create` enforces atomically. A live task is one that has not ended. */
export interface TaskLimits {
  /** Live tasks of the store. */
  readonly maxTasks: number;
  /** Live tasks per authenticated caller. */
  readonly maxTasksPerCaller: number;
  /** Ended tasks of the store that are still readable. */
  readonly maxEnded: number;
  /** Ended tasks per authenticated caller that are still readable. */
  readonly maxEndedPerCaller: number;
}

/** A task before the store adds the times and the hold. */
export type NewTask = Omit<StoredTask, keyof TaskHold | "createdAt" | "lastUpdatedAt">;

/** The call, journal, worker and limits of a new task. */
export interface CreateOptions {
  /** What the task does, from its call. */
  readonly work: TaskWork;
  /** The journal so far. */
  readonly entries: readonly JournalEntry[];
  /** The worker that creates the task and holds it. */
  readonly worker: string;
  /** As for `renew`: `create` renews the lease of the worker. */
  readonly leaseMs: number;
  /** The limits that the new task counts against. */
  readonly limits: TaskLimits;
}

/** Which tasks a worker acquires, and for how long. */
export interface AcquireRequest {
  readonly lanes: readonly string[];
  /** At most this many tasks. */
  readonly limit: number;
  /** Whether one of them may be a suspect: a task with two or more `losses`. */
  readonly mayBeSuspect: boolean;
  /** As for `renew`: `acquire` renews the lease of the worker. */
  readonly leaseMs: number;
  /** Acquires only this task, in any lane. */
  readonly taskId?: string | undefined;
}

/** A task that a worker has acquired, with everything it needs to continue it. */
export interface AcquiredTask {
  /** With the worker and its new fencing number. */
  readonly task: StoredTask;
  readonly work: TaskWork;
  readonly entries: readonly JournalEntry[];
  /** The rest of its time to live, in ms. */
  readonly expiresInMs: number;
}

/** A task that a worker holds. */
export interface HeldTask {
  readonly taskId: string;
  readonly fence: number;
}

/** The numbers of tasks in a store, by state. */
export interface TaskCounts {
  /** Tasks that a worker holds. */
  readonly running: number;
  /** Tasks that wait for a worker, without delayed ones. */
  readonly waiting: number;
  /** How long the oldest of them has been waiting, in ms. 0 when none waits. */
  readonly oldestWaitingMs: number;
  /** Live tasks: running, waiting, delayed, or waiting for input. */
  readonly live: number;
  readonly ended: number;
}

/**
 * One store belongs to one server with any number of processes. Reads see all earlier writes of every process.
 * A returned task is never changed afterwards. The store tells the time: no method takes a time of its caller, so the clocks of the
 * machines may differ. A task is expired `ttlMs` after its creation, and then behaves as if it did not exist.
 *
 * **Leases.** A worker may hold tasks while its lease lasts: `leaseMs` from its last `create`, `acquire` or `renew`. When the lease has
 * expired, the next `acquire` of any worker puts its tasks back into their lanes. Until then they remain its own, so
 * a worker that renews late continues them. If the store heard of no worker for more than half a lease, it was out of reach itself:
 * for one lease after that it puts no task back, so that living workers renew first. A store may know earlier that a process has ended.
 *
 * **Fencing.** Each acquisition of a task increments its `fence`. The store rejects a write with an earlier number.
 *
 * **Deaths.** When a worker is lost, `losses` of each of its tasks increases by one. `deaths` increases for the one
 * task that plausibly caused the loss: the only suspect among them (`losses` of 2 or more before), else the only one
 * that was lost before, else the only one. Otherwise for none. An entry that is appended to the journal resets `losses`. A task waits
 * `lossDelayMs` before it is acquired again.
 *
 * **Delays.** An update that hands a task back may delay it: with `delayMs` no worker acquires it for this time, by the clock of the store.
 * It neither waits nor runs meanwhile, so it counts only as live. It is acquired after the tasks of its priority that waited before the end
 * of its delay. Other updates keep the end of the delay. Delayed tasks may be many and their delays long: `acquire` must not read them.
 *
 * Errors: a method rejects with `storeUnavailable()` while the store cannot be reached. Workers then wait and repeat the call.
 *
 * Processes with a shared store also need a shared `Bus` (`subscriptions.bus`) if clients subscribe to tasks. Without it, a stream
 * receives only the changes that its own process makes. Polling, input and cancellation need only the store.
 */
export interface TaskStore {
  /** True when tasks outlive the process: workers then recover tasks whose worker was lost. */
  readonly isDurable: boolean;
  /**
   * Adds a task that `worker` holds with the fence 1. Rejects with the error that `requireRoom` throws when a limit is reached, in the same
   * atomic step as the insertion.
   */
  create(task: NewTask, options: CreateOptions): Promise<StoredTask>;
  /** Undefined for an unknown or expired task. */
  read(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by the result of `change`, atomically. `change` may be called again with a newer state, so it must be pure;
   * undefined keeps the task. Resolves with the new state, or undefined without a change. With `fence`, a task whose
   * fence differs is kept.
   *
   * The new state decides: an ended task or one with `input_required` has no worker; a working task without a worker waits in its lane. The
   * store ignores changes of the hold, with two exceptions. Removing `worker` counts no loss. A lower `deaths` withdraws a death: a
   * worker that was only cut off does this when it returns.
   */
  update(
    taskId: string,
    change: (task: StoredTask, now: number) => StoredTask | undefined,
    fence?: number,
  ): Promise<StoredTask | undefined>;
  /**
   * Appends to the journal of a task that its worker holds with this fence. `position` is the number of entries before. Entries that the
   * journal has already are skipped, so a repeated call is harmless. Returns the length of the journal: less than `position` when the store
   * lost entries, and nothing is appended then. Undefined when the task is held no more with this fence.
   */
  append(held: HeldTask, position: number, entries: readonly JournalEntry[]): Promise<number | undefined>;
  /**
   * Puts tasks of lost workers back into their lanes, then acquires waiting tasks: by priority, then by the time of waiting. Each gets a new
   * fence. At most one is a suspect.
   */
  acquire(worker: string, request: AcquireRequest): Promise<readonly AcquiredTask[]>;
  /** Renews the lease of a worker. Returns the tasks that it holds. */
  renew(worker: string, leaseMs: number): Promise<readonly HeldTask[]>;
  /** Ends the lease of a worker. Its tasks wait in their lanes, without a loss. */
  retire(worker: string): Promise<void>;
  counts(): Promise<TaskCounts>;
  /** Deletes expired tasks. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

const retryAfterMs = 5_000;

/**
 * For implementations of TaskStore: the error with which each method rejects while the store cannot be reached. It answers 503 over HTTP.
 * `data.reason` is "task_store_unavailable".
 *
 * @example
 * import { storeUnavailable } from "@lethe/server/stores";
 *
 * console.log(storeUnavailable().message); // tasks cannot be reached now
 */
export function storeUnavailable(cause?: unknown): McpError {
  const error = overloaded("tasks cannot be reached now", retryAfterMs, { reason: "task_store_unavailable" });
  return Object.assign(error, { cause });
}

export function isUnavailable(error: unknown): boolean {
  return isMcpError(error) && refusalOf(error)?.status === 503;
}

/**
 * For implementations of TaskStore: when a task that was lost `losses` times in a row may be acquired again, in ms: at once, then after 1,
 * 2, 4 … 60 s.
 *
 * @example
 * import { lossDelayMs } from "@lethe/server/stores";
 *
 * console.log([1, 2, 3, 20].map(lossDelayMs)); // [ 0, 1000, 2000, 60000 ]
 */
export function lossDelayMs(losses: number): number {
  return losses < 2 ? 0 : Math.min(1_000 * 2 ** (losses - 2), 60_000);
}

/** How often a task may be lost in a row before its worker runs no other such task beside it. */
export const suspectLosses = 2;
