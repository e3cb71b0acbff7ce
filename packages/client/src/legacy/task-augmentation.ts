// The core tasks of 2025-11-25 (D-38) as the tasks of today (F): a call begins one where its tool wants that, and the end
// comes with the state. What a task asks, which its server says only to who waits for the result, is a part of the state.
import {
  clientCapabilitiesOf,
  declaresTasks,
  type Exchange,
  type Implementation,
  isJsonObject,
  isMcpError,
  isTaskMethod,
  isTerminal,
  type JsonObject,
  type ModernRequest,
  metaKey,
  method,
  parseTaskParams,
  parseUpdateTaskParams,
  type Result,
  requireTasks,
  type Task,
  taskAugmentationOf,
  toErrorObject,
} from "@lethe/protocol";
import { legacyMethod, type Revision, relatedTaskKey } from "@lethe/protocol/revisions";
import { TransportError } from "../call/transport-error.ts";
import type { Calls } from "./calls.ts";
import type { TaskInputRequests } from "./task-input-requests.ts";
import type { ToolFacts } from "./tool-facts.ts";

export interface TaskAugmentationContext {
  readonly peer: string;
  readonly revision: Revision;
  readonly run: Calls["run"];
  readonly questions: TaskInputRequests;
  readonly tools: ToolFacts;
  readonly serverInfo: Implementation | undefined;
  /** Whether the tools of the present session can be called as tasks. */
  isOffered(): boolean;
}

export interface TaskAugmentation {
  /** tools/call, as a task where the tool wants it or the caller wishes it. */
  call(request: ModernRequest, exchange: Exchange): Promise<Result>;
  /** True for a method of tasks that this server can answer. */
  isServed(name: string): boolean;
  answer(request: ModernRequest, exchange: Exchange): Promise<Result>;
}

export function createTaskAugmentation(context: TaskAugmentationContext): TaskAugmentation {
  const { peer, revision, run, questions, tools, serverInfo, isOffered } = context;
  const meta = serverInfo && { [metaKey.serverInfo]: serverInfo };

  function call(request: ModernRequest, exchange: Exchange): Promise<Result> {
    return isOffered() && isDeclared(request) ? callAsTask(request, exchange) : run(request, exchange);
  }

  async function callAsTask(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const result = await run(request, exchange, await taskParamOf(request));
    // The call may also have asked something first, and begin its task when it is answered.
    const begun = begunTaskOf(result);
    return begun ? begin(begun, request, exchange) : result;
  }

  /** Undefined for a call that stays one: a choice that the tool leaves is made by who calls. */
  async function taskParamOf(request: ModernRequest): Promise<JsonObject | undefined> {
    const support = await tools.taskSupportOf(String(request.params.name));
    const wish = taskAugmentationOf(request);
    if (support !== "required" && !(support === "optional" && wish)) return undefined;
    return wish?.ttlMs === undefined ? {} : { ttl: wish.ttlMs };
  }

  function begin(begun: JsonObject, request: ModernRequest, exchange: Exchange): Result {
    const task = toTask(begun, request.method);
    questions.listenFor(task.taskId, request, exchange);
    return { resultType: "task", ...task, ...(meta && { _meta: meta }) };
  }

  async function answer(request: ModernRequest, exchange: Exchange): Promise<Result> {
    requireTasks(request);
    const { taskId } = parseTaskParams(request.params);
    questions.requireCaller(taskId, exchange);
    switch (request.method) {
      case method.updateTask:
        return update(taskId, request, exchange);
      case method.cancelTask:
        return cancel(taskId, request, exchange);
      default:
        return complete(await state(taskId, request, exchange));
    }
  }

  async function read(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Task> {
    return toTask(await ask(legacyMethod.getTask, taskId, request, exchange), request.method);
  }

  function ask(name: string, taskId: string, { id, params }: ModernRequest, exchange: Exchange): Promise<Result> {
    return run({ id, method: name, params: { _meta: params._meta, taskId } }, exchange);
  }

  /** F-10: with all that belongs to its status. */
  async function state(taskId: string, request: ModernRequest, exchange: Exchange): Promise<JsonObject> {
    const task = await read(taskId, request, exchange);
    // Not before the server has shown that there is such a task.
    questions.listenFor(taskId, request, exchange);
    if (isTerminal(task.status)) {
      questions.close(taskId, "the task has ended");
      return task.status === "cancelled" ? { ...task } : withEnd(task, request, exchange);
    }
    const inputRequests = await questions.read(taskId, task.status === "input_required");
    // A server may say that it wants to know something before it says what, and for a while after it was told.
    return inputRequests ? { ...task, status: "input_required", inputRequests } : { ...task, status: "working" };
  }

  /** F-12: a tool that failed has completed; only an error of the call is a failure. */
  async function withEnd(task: Task, request: ModernRequest, exchange: Exchange): Promise<JsonObject> {
    try {
      const payload = await ask(legacyMethod.getTaskResult, task.taskId, request, exchange);
      return { ...task, status: "completed", result: toPayload(payload) };
    } catch (error) {
      if (task.status !== "failed" || !isMcpError(error)) throw error;
      return { ...task, error: toErrorObject(error) };
    }
  }

  async function update(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { inputResponses } = parseUpdateTaskParams(request.params);
    // F-13: who answers what nobody asked learns whether there is such a task.
    if (!questions.answer(taskId, inputResponses)) await read(taskId, request, exchange);
    return complete({});
  }

  /** F-20: acknowledged also when there is nothing to cancel any more, or no way to do it. */
  async function cancel(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Result> {
    try {
      await ask(legacyMethod.cancelTask, taskId, request, exchange);
    } catch (error) {
      if (!isMcpError(error)) throw error;
      await read(taskId, request, exchange);
    }
    questions.close(taskId, "the task was cancelled");
    return complete({});
  }

  function complete(body: JsonObject): Result {
    return { resultType: "complete", ...body, ...(meta && { _meta: meta }) };
  }

  function toTask(value: unknown, asked: string): Task {
    const task = revision.fromServerTask(value);
    if (task) return task;
    throw new TransportError("invalid", `${asked} to ${peer}: expected a task with an id and a status`);
  }

  return { call, isServed: (name) => isTaskMethod(name) && isOffered(), answer };
}

/** FastMCP 2.14 names the task that a call began in `_meta`, without times. */
const fastmcpTaskKey = "modelcontextprotocol.io/task";

function begunTaskOf({ task, _meta }: Result): JsonObject | undefined {
  if (isJsonObject(task)) return task;
  const named = isJsonObject(_meta) ? (_meta as JsonObject)[fastmcpTaskKey] : undefined;
  if (!isJsonObject(named) || typeof named.taskId !== "string") return undefined;
  const now = new Date().toISOString();
  return { createdAt: now, lastUpdatedAt: now, ...named };
}

function isDeclared(request: ModernRequest): boolean {
  return declaresTasks(clientCapabilitiesOf(request));
}

/** What the call itself would have returned (F-26: nothing in it names the task). */
function toPayload({ resultType: _, _meta, ...result }: Result): JsonObject {
  const { [relatedTaskKey]: __, ...meta } = isJsonObject(_meta) ? _meta : {};
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, content, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}
