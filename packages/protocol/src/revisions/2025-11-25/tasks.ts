// Tasks of 2025-11-25 (D-38). They name times otherwise than the tasks extension and hold no result, and a tool error makes
// its task a failed one.
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { type DetailedTask, isTask, type Task } from "../../model/tasks.ts";

/** The `_meta` key of every message that belongs to a task. */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

/** Characters. */
const maxStatusMessage = 1_000;

export function toClientTask(task: Task | DetailedTask): JsonObject {
  const { taskId, status, statusMessage } = "result" in task ? { ...task, ...failureOf(task.result) } : task;
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

// F-12
/** In the model such a task is completed. tasks/result returns the result in both cases. */
function failureOf({ isError, content }: JsonObject): Partial<Task> | undefined {
  if (isError !== true) return undefined;
  const texts = Array.isArray(content) ? content.map((block) => (isJsonObject(block) ? block.text : undefined)) : [];
  const text = texts.find((candidate) => typeof candidate === "string");
  return { status: "failed", ...(text !== undefined && { statusMessage: text.slice(0, maxStatusMessage) }) };
}

/** A server may leave out the times. */
export function fromServerTask(value: unknown): Task | undefined {
  if (!isTask(value)) return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval } = value as Task & JsonObject;
  return {
    taskId,
    status,
    ...(typeof statusMessage === "string" && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: typeof ttl === "number" ? ttl : null,
    ...(typeof pollInterval === "number" && { pollIntervalMs: pollInterval }),
  };
}
