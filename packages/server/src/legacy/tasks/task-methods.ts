// tasks/get, tasks/list, tasks/cancel and tasks/result of 2025-11-25 (D-38), over the tasks of the core.
import {
  type GetTaskResult,
  invalidParams,
  isTerminal,
  type JsonObject,
  method,
  methodNotFound,
  parsePageParams,
  parseTaskParams,
} from "@lethe/protocol";
import { legacyMethod } from "@lethe/protocol/revisions";
import { callCore, readTask, type TaskRequest } from "./task-request.ts";
import { awaitTaskResult } from "./task-result.ts";

/** Tasks on one page of tasks/list. */
const pageSize = 100;

/** Resolves with the result. Rejects with McpError. */
export async function answerTaskMethod(taskRequest: TaskRequest): Promise<JsonObject> {
  const { method: name, params = {} } = taskRequest.request;
  const { revision } = taskRequest.session.facts;
  if (name === legacyMethod.listTasks) return listTasks(taskRequest, parsePageParams(params).cursor);
  const { taskId } = parseTaskParams(params);
  if (name === legacyMethod.getTask) return revision.toClientTask(await readTask(taskRequest, taskId));
  return name === legacyMethod.cancelTask ? cancelTask(taskRequest, taskId) : awaitTaskResult(taskRequest, taskId);
}

/** Unlike in 2026-07-28, only a task that has not ended can be cancelled. */
async function cancelTask(taskRequest: TaskRequest, taskId: string): Promise<JsonObject> {
  requireOpen(await readTask(taskRequest, taskId));
  await callCore(taskRequest, method.cancelTask, { taskId });
  const task = await readTask(taskRequest, taskId);
  // The task may have ended before the cancellation reached it.
  if (task.status !== "cancelled") requireOpen(task);
  return taskRequest.session.facts.revision.toClientTask(task);
}

function requireOpen({ status }: GetTaskResult): void {
  if (isTerminal(status)) throw invalidParams(`the task has already ended: ${status}`);
}

/** Lists the tasks that this session started and that still exist, the oldest first. */
async function listTasks(taskRequest: TaskRequest, cursor = "0"): Promise<JsonObject> {
  const { context, session } = taskRequest;
  const { facts } = session;
  if (facts.isStateless) throw methodNotFound(legacyMethod.listTasks);
  const known = (await context.settings.store.get(facts.id))?.tasks ?? [];
  const start = Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0 || start > known.length) throw invalidParams("invalid cursor");
  const page = known.slice(start, start + pageSize);
  const tasks = await Promise.all(page.map((taskId) => readTask(taskRequest, taskId).catch(() => undefined)));
  const next = start + pageSize;
  return {
    tasks: tasks.filter((task) => task !== undefined).map((task) => facts.revision.toClientTask(task)),
    ...(next < known.length && { nextCursor: String(next) }),
  };
}
