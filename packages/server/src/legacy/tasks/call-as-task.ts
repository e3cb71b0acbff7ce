// tools/call as a task for a legacy client (D-38): because the client asked for it, or because the tool runs only as a task.
import {
  declaresTasks,
  errorCode,
  isTaskResult,
  type JsonObject,
  McpError,
  method,
  withTaskAugmentation,
} from "@lethe/protocol";
import { relatedTaskKey } from "@lethe/protocol/revisions";
import { serveCall } from "../calls/serve-call.ts";
import { discover } from "../sessions/discover.ts";
import { withTasks } from "../sessions/session-facts.ts";
import { callCore, type TaskRequest } from "./task-request.ts";
import { awaitTaskResult } from "./task-result.ts";

/** Tasks that tasks/list shows for one session. The oldest are dropped from the list. */
const maxListed = 1_000;

/** A server without tasks answers as if the client had not asked for one. */
export async function offersTasks({ call, session, context }: TaskRequest): Promise<boolean> {
  return declaresTasks((await discover(session.facts, call, context)).capabilities);
}

/** Answers tools/call with `task`. */
export async function callAsTask(taskRequest: TaskRequest): Promise<JsonObject> {
  const { request, call, session, context } = taskRequest;
  const { id, params = {} } = request;
  const { revision } = session.facts;
  const { ttl } = params.task as JsonObject;
  const ttlMs = typeof ttl === "number" && ttl > 0 ? Math.ceil(ttl) : undefined;
  const modern = {
    id,
    method: method.callTool,
    params: revision.fromClientParams(method.callTool, params, withTasks(session.facts)),
  };
  const result = await serveCall(withTaskAugmentation(modern, { ttlMs }), call, session, context);
  // A middleware or an upstream may have dropped the task augmentation.
  if (!isTaskResult(result)) return revision.toClientResult(method.callTool, result);
  await remember(result.taskId, taskRequest);
  return { task: revision.toClientTask(result) };
}

/**
 * Answers tools/call without `task` for a tool that runs only as a task: waits for the result of the task. Throws McpError
 * -32601 if the revision of the client has tasks, unless `awaitTasks` is set.
 */
export async function callRequiredTask(taskRequest: TaskRequest): Promise<JsonObject> {
  const { request, call, session, context } = taskRequest;
  const { revision } = session.facts;
  if (revision.traits.hasTaskAugmentation && !context.settings.awaitTasks) {
    const tool = JSON.stringify(request.params?.name);
    throw new McpError(errorCode.methodNotFound, `tool ${tool} runs only as a task: send "task" with the call`);
  }
  const params = revision.fromClientParams(method.callTool, request.params, withTasks(session.facts));
  const modern = { id: request.id, method: method.callTool, params };
  const result = await serveCall(withTaskAugmentation(modern, {}), call, session, context);
  if (!isTaskResult(result)) return revision.toClientResult(method.callTool, result);
  const { taskId } = result;
  const stopWatching = call.onStop(() => void callCore(taskRequest, method.cancelTask, { taskId }).catch(() => {}));
  try {
    return withoutRelatedTask(await awaitTaskResult(taskRequest, taskId));
  } finally {
    stopWatching();
  }
}

/** The client did not ask for a task, and does not know this one. */
function withoutRelatedTask({ _meta, ...result }: JsonObject): JsonObject {
  const { [relatedTaskKey]: _, ...meta } = _meta as JsonObject;
  return Object.keys(meta).length === 0 ? result : { ...result, _meta: meta };
}

async function remember(taskId: string, { session, context }: TaskRequest): Promise<void> {
  const { facts } = session;
  if (facts.isStateless) return;
  await context.settings.store.update(facts.id, (state) => ({
    ...state,
    tasks: [...(state.tasks ?? []), taskId].slice(-maxListed),
  }));
}
