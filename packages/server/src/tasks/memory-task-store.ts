// The default task store: in the memory of one process.
import { overloaded, tooManyRequests } from "@lethe/protocol";
import type { StoredTask } from "./stored-task.ts";
import { expiresAt } from "./task-state.ts";
import type { TaskLimits, TaskStore } from "./task-store.ts";

/** How long a rejected caller should wait, in ms. */
const retryAfterMs = 10_000;

export interface MemoryTaskStore extends TaskStore {
  /** All tasks, oldest first, with expired ones until the next sweep. */
  readonly tasks: Iterable<StoredTask>;
}

/**
 * Creates a task store for one process. It is not durable: its tasks are lost when the process ends.
 *
 * @example
 * import { createMemoryTaskStore } from "@lethe/server/stores";
 *
 * const store = createMemoryTaskStore();
 * console.log(await store.read("unknown")); // undefined
 */
export function createMemoryTaskStore(): MemoryTaskStore {
  const tasks = new Map<string, StoredTask>();
  const countByOwner = new Map<string, number>();
  const workers = new Map<string, number>();

  function count(owner: string | undefined, step: 1 | -1): void {
    if (owner === undefined) return;
    const sum = (countByOwner.get(owner) ?? 0) + step;
    if (sum > 0) countByOwner.set(owner, sum);
    else countByOwner.delete(owner);
  }

  function isAbandoned({ status, worker }: StoredTask, now: number): boolean {
    return status === "working" && (worker === undefined || (workers.get(worker) ?? 0) <= now);
  }

  return {
    isDurable: false,
    get tasks() {
      return tasks.values();
    },
    async create(task, limits) {
      const ofOwner = task.owner === undefined ? 0 : (countByOwner.get(task.owner) ?? 0);
      requireRoom({ all: tasks.size, ofOwner }, limits);
      tasks.set(task.taskId, task);
      count(task.owner, 1);
    },
    async read(taskId) {
      return tasks.get(taskId);
    },
    async update(taskId, change) {
      const current = tasks.get(taskId);
      const changed = current && change(current);
      if (changed) tasks.set(taskId, changed);
      return changed;
    },
    async keepAlive(worker, until) {
      if (until > 0) workers.set(worker, until);
      else workers.delete(worker);
    },
    async abandoned(now, limit) {
      const found: StoredTask[] = [];
      for (const task of tasks.values()) {
        if (found.length === limit) break;
        if (isAbandoned(task, now)) found.push(task);
      }
      return found;
    },
    async sweep(now) {
      for (const task of tasks.values()) {
        if (expiresAt(task) > now) continue;
        tasks.delete(task.taskId);
        count(task.owner, -1);
      }
      for (const [worker, until] of workers) if (until <= now) workers.delete(worker);
    },
    async close() {
      tasks.clear();
      countByOwner.clear();
      workers.clear();
    },
  };
}

/**
 * For implementations of TaskStore: throws a retryable McpError when the store or the owner has reached its limit.
 *
 * @example
 * import { requireRoom } from "@lethe/server/stores";
 *
 * requireRoom({ all: 10, ofOwner: 2 }, { maxTasks: 10_000, maxTasksPerCaller: 1_000 });
 */
export function requireRoom(count: { all: number; ofOwner: number }, limits: TaskLimits): void {
  const { maxTasks, maxTasksPerCaller } = limits;
  if (count.all >= maxTasks) throw overloaded(`at most ${maxTasks} tasks at a time`, retryAfterMs);
  if (count.ofOwner >= maxTasksPerCaller) {
    throw tooManyRequests(`at most ${maxTasksPerCaller} tasks of one caller at a time`, retryAfterMs);
  }
}
