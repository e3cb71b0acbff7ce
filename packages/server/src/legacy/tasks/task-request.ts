// One request about a core task (D-38), and what the modern core says of that task.
import { type GetTaskResult, type JsonObject, type JsonRpcRequest, method, type Result } from "@lethe/protocol";
import { toModernParams } from "@lethe/protocol/legacy";
import type { CallRun } from "../calls/running-call.ts";
import type { LegacyParts } from "../legacy-context.ts";
import type { LegacySession } from "../sessions/session.ts";
import { withTasks } from "../sessions/session-token.ts";

/** Who asks, and where what is asked back goes. */
export interface TaskTurn {
  readonly request: JsonRpcRequest;
  readonly run: CallRun;
  readonly session: LegacySession;
  readonly parts: LegacyParts;
}

export async function readTask(turn: TaskTurn, taskId: string): Promise<GetTaskResult> {
  return (await askCore(turn, method.getTask, { taskId })) as GetTaskResult;
}

export function askCore({ request, run, session, parts }: TaskTurn, name: string, params: JsonObject): Promise<Result> {
  const { _meta } = toModernParams(undefined, withTasks(session.facts));
  return parts.dispatch({ id: request.id, method: name, params: { ...params, _meta } }, run);
}
