// The interface of task stores (F-5): in memory, in a file, or on another machine.
import type { StoredTask } from "./stored-task.ts";

/** Limits that `create` enforces atomically. */
export interface TaskLimits {
  /** All tasks of the store, in any status. */
  readonly maxTasks: number;
  /** Per authenticated caller. */
  readonly maxTasksPerCaller: number;
}

/**
 * One store belongs to one server with any number of processes. Reads see all earlier writes of every process.
 * A returned task is never changed afterwards. All times are in ms since 1970.
 *
 * A task is expired when `createdAt + ttlMs <= now`. A worker is dead when the `until` of its last `keepAlive` is `<= now`, or if it
 * never called `keepAlive`. A store may know earlier that the process of a worker has ended.
 *
 * Processes with a shared store also need a shared `Bus` (`subscriptions.bus`) if clients subscribe to tasks. Without it, a stream
 * receives only the changes that its own process makes. Polling, input and cancellation need only the store.
 */
export interface TaskStore {
  /** True when tasks outlive the process: workers then recover tasks whose worker died. */
  readonly isDurable: boolean;
  /** Rejects with the error that `requireRoom` throws when a limit is reached, in the same atomic step as the insertion. */
  create(task: StoredTask, limits: TaskLimits): Promise<void>;
  /** Undefined for an unknown task. May return an expired one that is not swept yet. */
  read(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by the result of `change`, atomically. `change` may be called again with a newer state, so it
   * must be pure; undefined keeps the task. Resolves with the new state, or undefined without a change.
   */
  update(taskId: string, change: (task: StoredTask) => StoredTask | undefined): Promise<StoredTask | undefined>;
  /** The heartbeat of a worker: it is alive while `now < until`. It ends with `until` 0. */
  keepAlive(worker: string, until: number): Promise<void>;
  /** At most `limit` tasks with the status "working" that have no worker, or one that is dead at `now`. */
  abandoned(now: number, limit: number): Promise<readonly StoredTask[]>;
  /** Deletes the tasks that are expired at `now`, and forgets workers that are dead at `now`. */
  sweep(now: number): Promise<void>;
  close(): Promise<void>;
}
