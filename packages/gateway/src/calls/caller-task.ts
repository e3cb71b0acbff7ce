// An upstream's task as the gateway's own: under its public id, and with nothing in it that the extension does not name (F-4,
// F-10): no state of the upstream's, no ids of other tasks.
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
  /** Who answers, to the caller. Default: the gateway. */
  readonly serverInfo?: Implementation;
  /** What the caller who looks at it says of itself. */
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

/** What every form of a task says (F-4). */
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
