// What operators do with pending calls and tasks of callers. Each action has an entry in the log.
import { isJsonObject, isMcpError, type JsonObject } from "@lethe/protocol";
import type { LiveTask } from "../../../calls/live-task.ts";
import type { ActedCall } from "../../../calls/operator-answers.ts";
import { ApiError, type ApiRequest } from "../api/api-request.ts";
import type { Done } from "../api/work.ts";
import type { AdminSource } from "./admin-source.ts";

type ActingSource = Pick<AdminSource, "operator" | "log">;

export function answerPendingCall({ operator, log }: ActingSource, request: ApiRequest): Done {
  const responses = responsesIn(request);
  const acted = refusing(() => operator.answerCall(ownIdIn(request), responses));
  if (!acted) throw noCall(request);
  audit(log, request, { ...acted, action: "answered" });
  return { isDone: true, message: "the call continues; its caller gets the result with its own retry" };
}

export function cancelPendingCall({ operator, log }: ActingSource, request: ApiRequest): Done {
  const acted = operator.cancelCall(ownIdIn(request));
  if (!acted) throw noCall(request);
  audit(log, request, { ...acted, action: "cancelled" });
  return { isDone: true, message: "the call is cancelled at its server" };
}

export async function answerTask({ operator, log }: ActingSource, request: ApiRequest): Promise<Done> {
  const responses = responsesIn(request);
  const task = taskIn(operator, request);
  const isDone = await operator.answerTask(task, responses).catch(toRefusal);
  if (!isDone) throw new ApiError(409, `the task is ${task.status} and requests no input`);
  audit(log, request, { ...toActed(task), action: "answered" });
  return { isDone, message: "the task continues" };
}

export async function cancelTask({ operator, log }: ActingSource, request: ApiRequest): Promise<Done> {
  const task = taskIn(operator, request);
  if (!(await operator.cancelTask(task))) throw new ApiError(409, `the task is ${task.status} already`);
  audit(log, request, { ...toActed(task), action: "cancelled" });
  return { isDone: true, message: "the task is cancelled" };
}

function taskIn(operator: AdminSource["operator"], request: ApiRequest): LiveTask {
  const found = operator.findTask(ownIdIn(request));
  if (!found) throw new ApiError(404, `no task ${request.path.id}, or no longer`);
  return found.task;
}

function toActed({ upstream, tool: name, callerId: caller }: LiveTask): ActedCall {
  return { upstream, name, caller };
}

/** Without the name of the replica, which led here. Never empty, so that it is no prefix of everything. */
export function ownIdIn({ path: { id = "" } }: ApiRequest): string {
  const own = id.slice(id.indexOf("-") + 1);
  if (own.length < 8) throw new ApiError(404, `no item ${id.slice(0, 100)}`);
  return own;
}

function responsesIn({ body }: ApiRequest): JsonObject {
  const responses = isJsonObject(body) ? body.responses : undefined;
  if (isJsonObject(responses)) return responses;
  throw new ApiError(422, 'the body must be { "responses": { "KEY": { "action": "accept", "content": { … } } } }');
}

function noCall({ path: { id } }: ApiRequest): ApiError {
  return new ApiError(404, `no pending call ${id}: it was answered, cancelled or has expired`);
}

function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    return toRefusal(error);
  }
}

function toRefusal(error: unknown): never {
  throw isMcpError(error) ? new ApiError(422, error.message) : error;
}

function audit(
  log: AdminSource["log"],
  { path: { id }, by }: ApiRequest,
  { action, upstream, name, caller }: ActedCall & { action: string },
): void {
  const whose = caller === undefined ? "a caller" : caller;
  const fields = { upstream, caller, id, remoteAddress: by };
  log.info(`admin.${action}`, `an operator ${action} ${name} of ${upstream} in the place of ${whose}`, fields);
}
