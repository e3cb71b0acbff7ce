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
 * A returned task is never changed afterwards.
 */
export interface TaskStore {
  /** True when tasks outlive the process: workers then recover tasks whose worker died. */
  readonly isDurable: boolean;
  /** Rejects with the error of `overloaded` when a limit is reached. */
  create(task: StoredTask, limits: TaskLimits): Promise<void>;
  read(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by the result of `change`, atomically. `change` may be called again with a newer state, so it
   * must be pure; undefined keeps the task. Resolves with the new state, or undefined without a change.
   */
  update(taskId: string, change: (task: StoredTask) => StoredTask | undefined): Promise<StoredTask | undefined>;
  /** The heartbeat of a worker: it counts as alive until this time, in ms since 1970; 0 when it ends. */
  keepAlive(worker: string, until: number): Promise<void>;
  /** Tasks with the status "working" that have no worker or a dead one. */
  abandoned(now: number, limit: number): Promise<readonly StoredTask[]>;
  /** Deletes expired tasks and workers that died long ago. */
  sweep(now: number): Promise<void>;
  close(): Promise<void>;
}
