// The core tasks of 2025-11-25 (D-38), made of the tasks of today: other names for times, no result within, and a tool that
// fails makes its task a failed one.
import { taskSupportOf } from "../../dispatch/task-augmentation.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../meta/capabilities.ts";
import { type DetailedTask, declaresTasks, isTask, type Task } from "../../model/tasks.ts";

/** In `_meta` of everything that belongs to a task. */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

const maxStatusMessage = 1_000;

export function toLegacyTask(task: Task | DetailedTask): JsonObject {
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

/** Today such a task is completed (F-12); tasks/result gives the result in both cases. */
function failureOf({ isError, content }: JsonObject): Partial<Task> | undefined {
  if (isError !== true) return undefined;
  const texts = Array.isArray(content) ? content.map((block) => (isJsonObject(block) ? block.text : undefined)) : [];
  const text = texts.find((words) => typeof words === "string");
  return { status: "failed", ...(text !== undefined && { statusMessage: text.slice(0, maxStatusMessage) }) };
}

/** Undefined for what is no task. A server that leaves its times out says nothing of them. */
export function fromLegacyTask(legacy: unknown): Task | undefined {
  if (!isTask(legacy)) return undefined;
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval } = legacy as Task & JsonObject;
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
