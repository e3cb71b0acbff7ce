// Where tasks are kept (F-5). The interface is all that the rest knows: in memory, in a file, or on another machine.
import type { StoredTask } from "./stored-task.ts";

/** Checked and counted in one step with the creation. */
export interface TaskLimits {
  /** Of the store, whatever their status. */
  readonly maxTasks: number;
  /** Of one authenticated caller. */
  readonly maxTasksPerCaller: number;
}

/**
 * One store belongs to one server, on however many processes. Reads see what was written before, by whatever process.
 * A task that is given out is never changed afterwards.
 */
export interface TaskStore {
  /** True when tasks outlive the process: then workers look for tasks whose worker has died. */
  readonly isDurable: boolean;
  /** Rejects with the error of `overloaded` when a limit is reached. */
  create(task: StoredTask, limits: TaskLimits): Promise<void>;
  read(taskId: string): Promise<StoredTask | undefined>;
  /**
   * Replaces a task by what `change` makes of it, atomically. `change` may be called again with a newer state, so it
   * does nothing but compute; undefined leaves the task as it is. Resolves with the new state, or undefined for none.
   */
  update(taskId: string, change: (task: StoredTask) => StoredTask | undefined): Promise<StoredTask | undefined>;
  /** A worker says that it lives until then, in ms since 1970; 0 when it ends. */
  keepAlive(worker: string, until: number): Promise<void>;
  /** Tasks with the status "working" that have no worker, or one that no longer lives. */
  abandoned(now: number, limit: number): Promise<readonly StoredTask[]>;
  /** Deletes the tasks whose time to live is over, and workers that are long dead. */
  sweep(now: number): Promise<void>;
  close(): Promise<void>;
}
