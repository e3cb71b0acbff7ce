// Shows a task of an upstream to a caller: under its public id, and with only the members that the tasks extension defines. The
// upstream's state and ids of other tasks are left out.
import {
  type ClientCapabilities,
  type DetailedTask,
  type Implementation,
  type JsonObject,
  McpError,
  metaKey,
  type Task,
  toErrorObject,
  withParams,
} from "@lethe/protocol";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import { toCallerError } from "../upstreams/connection/upstream-error.ts";
import { withHandle } from "./session-argument.ts";
import type { TaskLocation } from "./task-ids.ts";

export interface CallerView {
  readonly taskId: string;
  readonly place: TaskLocation;
  /** The server that the caller sees. Default: the gateway. */
  readonly serverInfo?: Implementation;
  /** The capabilities of the caller that reads the task. */
  readonly declared: ClientCapabilities;
}

export function toCallerTask(task: DetailedTask, view: CallerView): DetailedTask {
  const base = toBase(task, view.taskId);
  switch (task.status) {
    case "input_required":
      return { ...base, status: task.status, inputRequests: withParams(task.inputRequests) };
    case "completed":
      return { ...base, status: task.status, result: toCallerPayload(task.result, view) };
    case "failed":
      return { ...base, status: task.status, error: toErrorObject(toFailure(task.error, view)) };
    default:
      return { ...base, status: task.status };
  }
}

/** The members that every task has. */
export function toBase({ status, ...task }: Task, taskId: string): Task {
  const { statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  return {
    taskId,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: ttlMs ?? null,
    ...(pollIntervalMs !== undefined && { pollIntervalMs }),
  };
}

function toCallerPayload(result: JsonObject, { place: { handle }, serverInfo = gatewayInfo }: CallerView): JsonObject {
  const { requestState: _, ...shown } = result;
  const _meta = { ...(result._meta as JsonObject), [metaKey.serverInfo]: serverInfo };
  const own = { resultType: "complete", ...shown, _meta };
  return handle === undefined ? own : withHandle(own, handle, true);
}

function toFailure({ code, message, data }: { code: number; message: string; data?: unknown }, view: CallerView) {
  return toCallerError(view.place.upstream, new McpError(code, message, { data }), view.declared);
}
