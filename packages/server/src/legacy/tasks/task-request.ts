// A request of a legacy client about tasks (D-38), and how it reaches the tasks of the core.
import { type GetTaskResult, type JsonObject, type JsonRpcRequest, method, type Result } from "@lethe/protocol";
import type { RunningCall } from "../calls/running-call.ts";
import type { LegacySession } from "../sessions/session.ts";
import { withTasks } from "../sessions/session-facts.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";

export interface TaskRequest {
  readonly request: JsonRpcRequest;
  readonly call: RunningCall;
  readonly session: LegacySession;
  readonly context: LegacyContext;
}

/** Rejects with McpError if the task is unknown. */
export async function readTask(taskRequest: TaskRequest, taskId: string): Promise<GetTaskResult> {
  return (await callCore(taskRequest, method.getTask, { taskId })) as GetTaskResult;
}

export function callCore(
  { request, call, session, context }: TaskRequest,
  name: string,
  params: JsonObject,
): Promise<Result> {
  const { _meta } = session.facts.revision.fromClientParams(name, undefined, withTasks(session.facts));
  return context.dispatch({ id: request.id, method: name, params: { ...params, _meta } }, call);
}
