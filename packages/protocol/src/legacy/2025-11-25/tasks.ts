// The core tasks of 2025-11-25 (D-38), made of the tasks of today: other names for times, and no result within.
import { taskSupportOf } from "../../dispatch/task-wish.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../meta/capabilities.ts";
import { declaresTasks, type Task } from "../../model/tasks.ts";

/** In `_meta` of everything that belongs to a task. */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

export function toLegacyTask({ taskId, status, statusMessage, ...task }: Task): JsonObject {
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: task.createdAt,
    lastUpdatedAt: task.lastUpdatedAt,
    ttl: task.ttlMs,
    ...(task.pollIntervalMs !== undefined && { pollInterval: task.pollIntervalMs }),
  };
}

export function withTasks(legacy: JsonObject, served: ServerCapabilities): JsonObject {
  if (!declaresTasks(served)) return legacy;
  return { ...legacy, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
}

/** What the tools of a list support. */
export function withExecution(legacy: JsonObject): JsonObject {
  if (!Array.isArray(legacy.tools)) return legacy;
  const tools = legacy.tools.map((tool: unknown) => {
    const taskSupport = isJsonObject(tool) ? taskSupportOf(tool) : undefined;
    return taskSupport === undefined ? tool : { ...(tool as JsonObject), execution: { taskSupport } };
  });
  return { ...legacy, tools };
}
