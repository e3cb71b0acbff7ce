// The core tasks of 2025-11-25 (D-38), made of the tasks of today: asked for by the client, and asked after by methods of
// other shapes. What a task asks is asked live while its client waits in tasks/result.
import {
  declaresTasks,
  type GetTaskResult,
  invalidParams,
  isTaskResult,
  isTerminal,
  type JsonObject,
  type JsonRpcRequest,
  McpError,
  method,
  parsePageParams,
  parseTaskParams,
  type Result,
  withTaskWish,
} from "@lethe/protocol";
import { legacyMethod, relatedTaskKey, toLegacyTask, toModernParams } from "@lethe/protocol/legacy";
import type { CallRun } from "./call-run.ts";
import { discover } from "./discover.ts";
import type { LegacyParts } from "./legacy-parts.ts";
import { askAll, createVisits, internal, pause, serveCall } from "./serve-call.ts";
import type { LegacySession } from "./session.ts";
import { withTasks } from "./session-token.ts";

/** Who asks, and where what is asked back goes. */
export interface TaskTurn {
  readonly request: JsonRpcRequest;
  readonly run: CallRun;
  readonly session: LegacySession;
  readonly parts: LegacyParts;
}

/** That tasks/list shows of one session. */
const maxListed = 1_000;
const pageSize = 100;
/** ms; how often a task is looked at for a client that waits. */
const firstPauseMs = 20;
const maxPauseMs = 500;

/** A server without tasks answers as if the client had not asked for one. */
export async function offersTasks({ run, session, parts }: TaskTurn): Promise<boolean> {
  return declaresTasks((await discover(session.facts, run, parts)).capabilities);
}

/** tools/call with `task`. */
export async function callAsTask(turn: TaskTurn, { ttl }: JsonObject): Promise<JsonObject> {
  const { request, run, session, parts } = turn;
  const { id, params } = request;
  const modern = { id, method: method.callTool, params: toModernParams(params, withTasks(session.facts)) };
  const ttlMs = typeof ttl === "number" && ttl > 0 ? ttl : undefined;
  const result = await serveCall(withTaskWish(modern, { ttlMs }), run, session, parts);
  // Something on the way has lost the wish.
  if (!isTaskResult(result)) return session.facts.codec.toLegacyResult(method.callTool, result);
  await remember(result.taskId, turn);
  return { task: toLegacyTask(result) };
}

async function remember(taskId: string, { session, parts }: TaskTurn): Promise<void> {
  const { facts } = session;
  if (facts.isStateless) return;
  await parts.settings.store.update(facts.id, (state) => ({
    ...state,
    tasks: [...(state.tasks ?? []), taskId].slice(-maxListed),
  }));
}

export async function answerTaskMethod(turn: TaskTurn): Promise<JsonObject> {
  const { method: name, params = {} } = turn.request;
  if (name === legacyMethod.listTasks) return listTasks(turn, parsePageParams(params).cursor);
  const { taskId } = parseTaskParams(params);
  if (name === legacyMethod.getTask) return toLegacyTask(await readTask(turn, taskId));
  return name === legacyMethod.cancelTask ? cancelTask(turn, taskId) : awaitResult(turn, taskId);
}

async function readTask(turn: TaskTurn, taskId: string): Promise<GetTaskResult> {
  return (await ask(turn, method.getTask, { taskId })) as GetTaskResult;
}

function ask({ request, run, session, parts }: TaskTurn, name: string, params: JsonObject): Promise<Result> {
  const { _meta } = toModernParams(undefined, withTasks(session.facts));
  return parts.dispatch({ id: request.id, method: name, params: { ...params, _meta } }, run);
}

/** Unlike today, only a task that goes on can be cancelled. */
async function cancelTask(turn: TaskTurn, taskId: string): Promise<JsonObject> {
  const { status } = await readTask(turn, taskId);
  if (isTerminal(status)) throw invalidParams(`the task has ended already: ${status}`);
  await ask(turn, method.cancelTask, { taskId });
  return toLegacyTask(await readTask(turn, taskId));
}

/** Those that were begun in this session, the oldest first, and that can still be asked after. */
async function listTasks(turn: TaskTurn, cursor = "0"): Promise<JsonObject> {
  const { parts, session } = turn;
  const known = (await parts.settings.store.get(session.facts.id))?.tasks ?? [];
  const start = Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0 || start > known.length) throw invalidParams("invalid cursor");
  const page = known.slice(start, start + pageSize);
  const tasks = await Promise.all(page.map((taskId) => readTask(turn, taskId).catch(() => undefined)));
  const next = start + pageSize;
  return {
    tasks: tasks.filter((task) => task !== undefined).map(toLegacyTask),
    ...(next < known.length && { nextCursor: String(next) }),
  };
}

/** Waits for the end, and asks the client live what the task asks. */
async function awaitResult(turn: TaskTurn, taskId: string): Promise<JsonObject> {
  const { run, session } = turn;
  const meta = { [relatedTaskKey]: { taskId } };
  const visits = createVisits(run);
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const task = await readTask(turn, taskId);
    const questions = task.status === "input_required" ? task.inputRequests : undefined;
    visits.leave(questions);
    if (questions) {
      const inputResponses = await askAll(questions, run, session, visits, meta);
      await ask(turn, method.updateTask, { taskId, inputResponses });
      pauseMs = firstPauseMs;
    } else if (isTerminal(task.status)) return toPayload(task, turn);
    await pause(pauseMs, run);
  }
}

/** What the call itself would have answered. */
function toPayload(task: GetTaskResult, { session }: TaskTurn): JsonObject {
  if (task.status === "failed") throw new McpError(task.error.code, task.error.message, { data: task.error.data });
  if (task.status !== "completed") throw internal("the task was cancelled");
  const result = session.facts.codec.toLegacyResult(method.callTool, { resultType: "complete", ...task.result });
  return { ...result, _meta: { ...(result._meta as JsonObject), [relatedTaskKey]: { taskId: task.taskId } } };
}
