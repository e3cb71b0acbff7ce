// One request about a core task (D-38), and what the modern core says of that task.
import { type GetTaskResult, type JsonObject, type JsonRpcRequest, method, type Result } from "@lethe/protocol";
import type { RunningCall } from "../calls/running-call.ts";
import type { LegacyContext } from "../legacy-context.ts";
import type { LegacySession } from "../sessions/session.ts";
import { withTasks } from "../sessions/session-token.ts";

/** Who asks, and where what is asked back goes. */
export interface TaskRequest {
  readonly request: JsonRpcRequest;
  readonly run: RunningCall;
  readonly session: LegacySession;
  readonly context: LegacyContext;
}

export async function readTask(turn: TaskRequest, taskId: string): Promise<GetTaskResult> {
  return (await askCore(turn, method.getTask, { taskId })) as GetTaskResult;
}

export function askCore(
  { request, run, session, context }: TaskRequest,
  name: string,
  params: JsonObject,
): Promise<Result> {
  const { _meta } = session.facts.revision.fromClientParams(name, undefined, withTasks(session.facts));
  return context.dispatch({ id: request.id, method: name, params: { ...params, _meta } }, run);
}
