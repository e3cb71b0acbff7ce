// The task store that workers share, in the memory of their parent. Tasks outlive a worker: the others continue them.
import { createParentTaskStore, type ParentTaskStore } from "../../tasks/memory-task-store.ts";
import type { StoredTask } from "../../tasks/stored-task.ts";
import type { AcquiredTask, AcquireRequest, CreateOptions, HeldTask, NewTask } from "../../tasks/task-store.ts";

/** The outcome of a replacement that was made from an earlier state. */
export type Replaced =
  | { readonly task: StoredTask }
  /** The task is another one by now: make the change from this one. */
  | { readonly current: StoredTask; readonly now: number }
  /** The task is unknown, or held with another fence. */
  | "kept";

export class TaskHost {
  readonly store: ParentTaskStore = createParentTaskStore();
  /** The task workers of each process. */
  readonly #workers = new Map<number, Set<string>>();

  create(process: number, task: NewTask, options: CreateOptions): Promise<StoredTask> {
    this.#know(process, options.worker);
    return this.store.create(task, options);
  }

  async read(taskId: string): Promise<{ readonly task: StoredTask; readonly now: number } | undefined> {
    const task = await this.store.read(taskId);
    return task && { task, now: this.store.now() };
  }

  /** Replaces a task if it still equals `before`, as JSON. */
  async replace(taskId: string, before: string, after: StoredTask, fence?: number | null): Promise<Replaced> {
    let current: StoredTask | undefined;
    const task = await this.store.update(
      taskId,
      (stored) => {
        current = stored;
        return JSON.stringify(stored) === before ? after : undefined;
      },
      fence ?? undefined,
    );
    if (task) return { task };
    return current ? { current, now: this.store.now() } : "kept";
  }

  acquire(process: number, worker: string, request: AcquireRequest): Promise<readonly AcquiredTask[]> {
    this.#know(process, worker);
    return this.store.acquire(worker, request);
  }

  renew(process: number, worker: string, leaseMs: number): Promise<readonly HeldTask[]> {
    this.#know(process, worker);
    return this.store.renew(worker, leaseMs);
  }

  /** Its tasks are free at once, without waiting for the end of their lease. */
  workerEnded(process: number): void {
    for (const worker of this.#workers.get(process) ?? []) this.store.workerEnded(worker);
    this.#workers.delete(process);
  }

  #know(process: number, worker: string): void {
    const known = this.#workers.get(process) ?? new Set();
    this.#workers.set(process, known.add(worker));
  }
}
