// Whose task is it? (F-13, F-25) A task of somebody else answers exactly like one that does not exist.
import { type Exchange, invalidParams, type ModernRequest, parseTaskParams, requireTasks } from "@lethe/protocol";
import { requireDeclaredScopes } from "../auth/scopes.ts";
import type { StoredTask } from "../tasks/stored-task.ts";
import type { ServerParts } from "./server-parts.ts";

/**
 * The task that the params name. Throws McpError -32021 before anything is looked up, then -32602, and the error of
 * insufficient scope when the caller may no longer use the task's tool.
 */
export async function findTask(parts: ServerParts, request: ModernRequest, exchange: Exchange): Promise<StoredTask> {
  requireTasks(request);
  const { taskId } = parseTaskParams(request.params);
  const task = await readOwn(parts, taskId, exchange);
  if (task === undefined) throw invalidParams("unknown task");
  requireDeclaredScopes(exchange, scopesOf(parts, task, exchange));
  return task;
}

/** F-23: an id that may not be followed is left out of the acknowledgement. */
export async function mayFollow(parts: ServerParts, taskId: string, exchange: Exchange): Promise<boolean> {
  const task = await readOwn(parts, taskId, exchange);
  if (task === undefined) return false;
  try {
    requireDeclaredScopes(exchange, scopesOf(parts, task, exchange));
    return true;
  } catch {
    return false;
  }
}

async function readOwn({ tasks }: ServerParts, taskId: string, { caller }: Exchange): Promise<StoredTask | undefined> {
  const task = await tasks.read(taskId);
  return task?.owner === caller?.id ? task : undefined;
}

function scopesOf({ registry }: ServerParts, { tool }: StoredTask, { caller }: Exchange): readonly string[] {
  return registry.tools.get(tool, caller)?.feature.scopes ?? [];
}
