// The task store of the parent as a worker uses it.

import { createTurns } from "../../replicas/take-turns.ts";
import type { StoredTask } from "../../tasks/stored-task.ts";
import { storeUnavailable, type TaskStore } from "../../tasks/task-store.ts";
import type { StoreLink } from "./store-link.ts";
import type { Replaced } from "./task-host.ts";

/** An attempt fails only if another worker changed the task meanwhile. */
const maxAttempts = 100;

export function createLinkedTaskStore(link: StoreLink, space: string): TaskStore {
  const takeTurn = createTurns();
  const read = (taskId: string) =>
    link.request<{ task: StoredTask; now: number } | undefined>("tasks.read", space, taskId);

  async function change(...[taskId, by, fence]: Parameters<TaskStore["update"]>): Promise<StoredTask | undefined> {
    const found = await read(taskId);
    let current = found?.task;
    let now = found?.now ?? 0;
    for (let attempt = 0; current && attempt < maxAttempts; attempt += 1) {
      if (fence !== undefined && current.fence !== fence) return undefined;
      const changed = by(current, now);
      if (!changed) return undefined;
      const before = JSON.stringify(current);
      const replaced = await link.request<Replaced>("tasks.replace", space, taskId, before, changed, fence);
      if (replaced === "kept") return undefined;
      if ("task" in replaced) return replaced.task;
      ({ current, now } = replaced);
    }
    if (current) throw storeUnavailable(new Error(`a task was changed concurrently ${maxAttempts} times`));
    return undefined;
  }

  return {
    isDurable: true,
    create: (task, options) => link.request("tasks.create", space, task, options),
    read: async (taskId) => (await read(taskId))?.task,
    update: (taskId, by, fence) => takeTurn(taskId, () => change(taskId, by, fence)),
    append: (held, position, entries) => link.request("tasks.append", space, held, position, entries),
    acquire: (worker, request) => link.request("tasks.acquire", space, worker, request),
    renew: (worker, leaseMs) => link.request("tasks.renew", space, worker, leaseMs),
    retire: (worker) => link.request("tasks.retire", space, worker),
    counts: () => link.request("tasks.counts", space),
    sweep: () => link.request("tasks.sweep", space),
    async close() {},
  };
}
