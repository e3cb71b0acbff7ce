// Stores for tests: shared by several servers of one process, or with some methods replaced.
import { createMemoryTaskStore } from "../memory-task-store.ts";
import type { TaskStore } from "../task-store.ts";

/** `store` with other methods. */
export function wrapStore(store: TaskStore, changes: Partial<TaskStore>): TaskStore {
  return {
    isDurable: store.isDurable,
    create: (...args) => store.create(...args),
    read: (...args) => store.read(...args),
    update: (...args) => store.update(...args),
    append: (...args) => store.append(...args),
    acquire: (...args) => store.acquire(...args),
    renew: (...args) => store.renew(...args),
    retire: (...args) => store.retire(...args),
    counts: () => store.counts(),
    sweep: () => store.sweep(),
    close: () => store.close(),
    ...changes,
  };
}

/** A store that servers of one process share as if they were several processes. */
export function createSharedStore(): TaskStore {
  return wrapStore(createMemoryTaskStore(), { isDurable: true });
}
