// The core tasks of 2025-11-25 (D-38), made of the tasks of today: asked for by the client, and asked after by methods of
// other shapes.
import {
  declaresTasks,
  errorCode,
  type GetTaskResult,
  invalidParams,
  isTaskResult,
  isTerminal,
  type JsonObject,
  McpError,
  method,
  methodNotFound,
  parsePageParams,
  parseTaskParams,
  withTaskAugmentation,
} from "@lethe/protocol";
import { legacyMethod, relatedTaskKey } from "@lethe/protocol/revisions";
import { serveCall } from "../calls/serve-call.ts";
import { discover } from "../sessions/discover.ts";
import { withTasks } from "../sessions/session-token.ts";
import { askCore, readTask, type TaskRequest } from "./task-request.ts";
import { awaitPayload } from "./task-result.ts";

/** That tasks/list shows of one session. */
const maxListed = 1_000;
const pageSize = 100;

/** A server without tasks answers as if the client had not asked for one. */
export async function offersTasks({ run, session, context }: TaskRequest): Promise<boolean> {
  return declaresTasks((await discover(session.facts, run, context)).capabilities);
}

/** tools/call with `task`. */
export async function callAsTask(turn: TaskRequest, { ttl }: JsonObject): Promise<JsonObject> {
  const { request, run, session, context } = turn;
  const { id, params } = request;
  const { revision } = session.facts;
  const modern = {
    id,
    method: method.callTool,
    params: revision.fromClientParams(method.callTool, params, withTasks(session.facts)),
  };
  const ttlMs = typeof ttl === "number" && ttl > 0 ? Math.ceil(ttl) : undefined;
  const result = await serveCall(withTaskAugmentation(modern, { ttlMs }), run, session, context);
  // Something on the way has lost the task augmentation.
  if (!isTaskResult(result)) return revision.toClientResult(method.callTool, result);
  await remember(result.taskId, turn);
  return { task: revision.toClientTask(result) };
}

/**
 * A call without `task` of a tool that runs only as a task: its result, once the task has ended. Throws McpError -32601 where
 * the revision wants the client to ask for the task.
 */
export async function callRequiredTask(turn: TaskRequest): Promise<JsonObject> {
  const { request, run, session, context } = turn;
  const { revision } = session.facts;
  if (revision.traits.hasTaskAugmentation && !context.settings.awaitTasks) {
    const tool = JSON.stringify(request.params?.name);
    throw new McpError(errorCode.methodNotFound, `tool ${tool} runs only as a task: send "task" with the call`);
  }
  const params = revision.fromClientParams(method.callTool, request.params, withTasks(session.facts));
  const modern = { id: request.id, method: method.callTool, params };
  const result = await serveCall(withTaskAugmentation(modern, {}), run, session, context);
  if (!isTaskResult(result)) return revision.toClientResult(method.callTool, result);
  const { taskId } = result;
  const forget = run.onStop(() => void askCore(turn, method.cancelTask, { taskId }).catch(() => {}));
  try {
    return withoutRelation(await awaitPayload(turn, taskId));
  } finally {
    forget();
  }
}

/** The client has asked for no task, and knows of none. */
function withoutRelation({ _meta, ...result }: JsonObject): JsonObject {
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

export async function answerTaskMethod(turn: TaskRequest): Promise<JsonObject> {
  const { method: name, params = {} } = turn.request;
  if (name === legacyMethod.listTasks) return listTasks(turn, parsePageParams(params).cursor);
  const { taskId } = parseTaskParams(params);
  if (name === legacyMethod.getTask) return turn.session.facts.revision.toClientTask(await readTask(turn, taskId));
  return name === legacyMethod.cancelTask ? cancelTask(turn, taskId) : awaitPayload(turn, taskId);
}

/** Unlike today, only a task that goes on can be cancelled. */
async function cancelTask(turn: TaskRequest, taskId: string): Promise<JsonObject> {
  requireOpen(await readTask(turn, taskId));
  await askCore(turn, method.cancelTask, { taskId });
  const task = await readTask(turn, taskId);
  // It may have come to its end meanwhile.
  if (task.status !== "cancelled") requireOpen(task);
  return turn.session.facts.revision.toClientTask(task);
}

function requireOpen({ status }: GetTaskResult): void {
  if (isTerminal(status)) throw invalidParams(`the task has ended already: ${status}`);
}

/** Those that were begun in this session, the oldest first, and that can still be asked after. */
async function listTasks(turn: TaskRequest, cursor = "0"): Promise<JsonObject> {
  const { context, session } = turn;
  if (session.facts.isStateless) throw methodNotFound(legacyMethod.listTasks);
  const known = (await context.settings.store.get(session.facts.id))?.tasks ?? [];
  const start = Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0 || start > known.length) throw invalidParams("invalid cursor");
  const page = known.slice(start, start + pageSize);
  const tasks = await Promise.all(page.map((taskId) => readTask(turn, taskId).catch(() => undefined)));
  const next = start + pageSize;
  return {
    tasks: tasks.filter((task) => task !== undefined).map(session.facts.revision.toClientTask),
    ...(next < known.length && { nextCursor: String(next) }),
  };
}
