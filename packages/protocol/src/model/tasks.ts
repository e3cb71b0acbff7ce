// The tasks extension (F, SEP-2663): calls that outlive their request. An id names each task.
import { type JsonRpcErrorObject, missingClientCapability } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../meta/capabilities.ts";
import { clientCapabilitiesOf, type ModernRequest } from "../meta/envelope.ts";
import type { Result } from "../meta/result.ts";
import { expectObject, expectString } from "./expect.ts";
import { tasksExtension } from "./extensions.ts";
import type { InputRequests } from "./input.ts";

export { tasksExtension };

/** All task statuses. */
export const taskStatuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** The status of a task. */
export type TaskStatus = (typeof taskStatuses)[number];

// F-4
/** The members that all forms of a task share. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601 */
  createdAt: string;
  /** ISO 8601 */
  lastUpdatedAt: string;
  // F-17
  /** How long the server keeps the task, in ms from its creation; null means without limit. May change. */
  ttlMs: number | null;
  // F-16
  /** The suggested interval between tasks/get requests, in ms. May change. */
  pollIntervalMs?: number;
}

// F-2
/** The result of a tools/call that continues as a task. It has only the shared members of a task. */
export interface CreateTaskResult extends Result, Task {
  resultType: "task";
}

// F-10
/** A task with the members of its status. */
export type DetailedTask =
  | (Task & { status: "working" })
  // F-14
  /** All open input requests. A server never reuses their keys. */
  | (Task & { status: "input_required"; inputRequests: InputRequests })
  // F-10
  /** The result of the call. Without `resultType` it is complete. */
  | (Task & { status: "completed"; result: JsonObject })
  // F-12
  /** The error of the call. */
  | (Task & { status: "failed"; error: JsonRpcErrorObject })
  | (Task & { status: "cancelled" });

/** The result of tasks/get. */
export type GetTaskResult = Result & DetailedTask;

/** Params of tasks/update. */
export interface UpdateTaskParams {
  taskId: string;
  // F-14
  /** Untrusted until each is validated against its input request. */
  inputResponses: JsonObject;
}

// F-2, F-29
/** True if the tasks extension is declared. The `tasks` capability of 2025-11-25 does not count. */
export function declaresTasks({ extensions }: ClientCapabilities | ServerCapabilities): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[tasksExtension]);
}

// F-3, F-13
/** Throws McpError -32021 unless this request declares the tasks extension. Call it before looking up a task id. */
export function requireTasks(request: ModernRequest): void {
  if (declaresTasks(clientCapabilitiesOf(request))) return;
  throw missingClientCapability({ extensions: { [tasksExtension]: {} } });
}

// F-11
/** True for a final status. A task with such a status never changes. */
export function isTerminal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** True for the result of a call that continues as a task. Checks `resultType` only: see `isTask`. */
export function isTaskResult(result: Result): result is CreateTaskResult {
  return result.resultType === "task";
}

/** True for a task with an id, a known status and a valid `ttlMs`. Timestamps are not checked. */
export function isTask(value: unknown): value is Task {
  if (!isJsonObject(value) || typeof value.taskId !== "string") return false;
  if (!(taskStatuses as readonly unknown[]).includes(value.status)) return false;
  return value.ttlMs === null || value.ttlMs === undefined || typeof value.ttlMs === "number";
}

/** True for a task with the members that its status requires. */
export function isDetailedTask(value: unknown): value is DetailedTask {
  if (!isTask(value)) return false;
  const { status, inputRequests, result, error } = value as Task & JsonObject;
  if (status === "input_required") return isJsonObject(inputRequests);
  if (status === "completed") return isJsonObject(result);
  return status !== "failed" || (isJsonObject(error) && typeof error.code === "number");
}

/** Params of tasks/get and tasks/cancel. Throws McpError -32602 without a task id. */
export function parseTaskParams(params: JsonObject): { taskId: string } {
  return { taskId: expectString(params, "taskId") };
}

/** Throws McpError -32602 for malformed params. */
export function parseUpdateTaskParams(params: JsonObject): UpdateTaskParams {
  return { taskId: expectString(params, "taskId"), inputResponses: expectObject(params, "inputResponses") };
}
