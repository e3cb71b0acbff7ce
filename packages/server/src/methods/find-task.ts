// Finds the task of a request (F-13, F-25). A task of another caller behaves as if it did not exist.
import { type Exchange, invalidParams, type ModernRequest, parseTaskParams, requireTasks } from "@lethe/protocol";
import { requireDeclaredScopes } from "../auth/scopes.ts";
import type { Registry } from "../features/registry.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { findMountedTask, isMountedTaskId, type MountedTaskParts } from "./mounted-task.ts";
import type { ServerParts } from "./server-parts.ts";

/**
 * Returns the task that the params name. Throws McpError -32021 before the lookup, then -32602, and the error of
 * insufficient scope when the caller has lost access to the task's tool.
 */
export async function findTask(parts: ServerParts, request: ModernRequest, exchange: Exchange): Promise<StoredTask> {
  requireTasks(request);
  const { taskId } = parseTaskParams(request.params);
  const { registry, tasks } = parts;
  const task = await readOwn(tasks.settings.store, taskId, exchange);
  if (task === undefined) throw invalidParams("unknown task");
  requireDeclaredScopes(exchange, scopesOf(registry, task, exchange));
  return task;
}

/** The acknowledgement omits ids that the caller may not follow. */
export async function mayFollow(
  { registry, taskSeal, store }: MountedTaskParts & { store: TaskStore },
  taskId: string,
  exchange: Exchange,
): Promise<boolean> {
  if (isMountedTaskId(taskId)) {
    const found = findMountedTask({ registry, taskSeal }, taskId, exchange);
    return (await found.catch(() => undefined)) !== undefined;
  }
  const task = await readOwn(store, taskId, exchange);
  if (task === undefined) return false;
  try {
    requireDeclaredScopes(exchange, scopesOf(registry, task, exchange));
    return true;
  } catch {
    return false;
  }
}

async function readOwn(store: TaskStore, taskId: string, { caller }: Exchange): Promise<StoredTask | undefined> {
  const task = await store.read(taskId);
  return task?.owner === caller?.id ? task : undefined;
}

function scopesOf(registry: Registry, { tool }: StoredTask, { caller }: Exchange): readonly string[] {
  return registry.tools.get(tool, caller)?.feature.scopes ?? [];
}
