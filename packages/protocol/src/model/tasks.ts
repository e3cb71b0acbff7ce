// The tasks extension (F, SEP-2663): work that outlives its request, named by an id and asked after.
import { type JsonRpcErrorObject, missingClientCapability } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../meta/capabilities.ts";
import { clientCapabilitiesOf, type ModernRequest } from "../meta/envelope.ts";
import type { Result } from "../meta/result.ts";
import { expectObject, expectString } from "./expect.ts";
import type { InputRequests } from "./input.ts";
import { tasksExtension } from "./methods.ts";

export { tasksExtension };

export const taskStatuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

export type TaskStatus = (typeof taskStatuses)[number];

/** What every form of a task says of it (F-4). */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601 */
  createdAt: string;
  /** ISO 8601 */
  lastUpdatedAt: string;
  /** How long the task can be asked after, in ms from its creation; null for ever. May change (F-17). */
  ttlMs: number | null;
  /** How often to ask, in ms. May change (F-16). */
  pollIntervalMs?: number;
}

/** In place of the result of tools/call (F-2). Flat, and without anything that only tasks/get tells. */
export interface CreateTaskResult extends Result, Task {
  resultType: "task";
}

/** F-10: a task with what belongs to its status. */
export type DetailedTask =
  | (Task & { status: "working" })
  /** All questions that are open. Their keys are never used again for other questions (F-14). */
  | (Task & { status: "input_required"; inputRequests: InputRequests })
  /** What the call would have returned; without a `resultType` it is complete (F-10). */
  | (Task & { status: "completed"; result: JsonObject })
  /** The error that the call would have answered (F-12). */
  | (Task & { status: "failed"; error: JsonRpcErrorObject })
  | (Task & { status: "cancelled" });

export type GetTaskResult = Result & DetailedTask;

export interface UpdateTaskParams {
  taskId: string;
  /** Hostile until each was held against its question (F-14). */
  inputResponses: JsonObject;
}

/** F-2: by the capabilities of this very request. The `tasks` capability of 2025-11-25 does not count (F-29). */
export function declaresTasks({ extensions }: ClientCapabilities | ServerCapabilities): boolean {
  return isJsonObject(extensions) && isJsonObject(extensions[tasksExtension]);
}

/** F-3, F-13: before any id is looked at. Throws McpError -32021 unless this very request declares the extension. */
export function requireTasks(request: ModernRequest): void {
  if (declaresTasks(clientCapabilitiesOf(request))) return;
  throw missingClientCapability({ extensions: { [tasksExtension]: {} } });
}

/** F-11: a task that has ended never changes. */
export function isTerminal(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The answer to a call that goes on as a task. Of its members only `resultType` was looked at: see `isTask`. */
export function isTaskResult(result: Result): result is CreateTaskResult {
  return result.resultType === "task";
}

/** For what a server says. An unknown status makes it no task; timestamps are taken as they come. */
export function isTask(value: unknown): value is Task {
  if (!isJsonObject(value) || typeof value.taskId !== "string") return false;
  if (!(taskStatuses as readonly unknown[]).includes(value.status)) return false;
  return value.ttlMs === null || value.ttlMs === undefined || typeof value.ttlMs === "number";
}

/** A task with all that its status promises. */
export function isDetailedTask(value: unknown): value is DetailedTask {
  if (!isTask(value)) return false;
  const { status, inputRequests, result, error } = value as Task & JsonObject;
  if (status === "input_required") return isJsonObject(inputRequests);
  if (status === "completed") return isJsonObject(result);
  return status !== "failed" || (isJsonObject(error) && typeof error.code === "number");
}

/** Of tasks/get and tasks/cancel. */
export function parseTaskParams(params: JsonObject): { taskId: string } {
  return { taskId: expectString(params, "taskId") };
}

export function parseUpdateTaskParams(params: JsonObject): UpdateTaskParams {
  return { taskId: expectString(params, "taskId"), inputResponses: expectObject(params, "inputResponses") };
}
