// Tasks of revision 2025-11-25 (task augmentation) as tasks of today. A call starts a task where its tool requires one. The
// final state contains the result, and input requests of the server are part of the state.
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
  readonly calls: Pick<Calls, "run">;
  readonly inputRequests: TaskInputRequests;
  readonly tools: ToolFacts;
  readonly serverInfo: Implementation | undefined;
  /** Whether the tools of the current session can be called as tasks. */
  isOffered(): boolean;
}

export class TaskAugmentation {
  readonly #context: TaskAugmentationContext;
  readonly #meta: JsonObject | undefined;

  constructor(context: TaskAugmentationContext) {
    const { serverInfo } = context;
    this.#context = context;
    this.#meta = serverInfo && { [metaKey.serverInfo]: serverInfo };
  }

  /** Runs tools/call, as a task where the tool requires one or the caller asks for it. */
  call(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { calls, isOffered } = this.#context;
    return isOffered() && isDeclared(request) ? this.#callAsTask(request, exchange) : calls.run(request, exchange);
  }

  /** True for a method of tasks that this server can answer. */
  isServed(name: string): boolean {
    return isTaskMethod(name) && this.#context.isOffered();
  }

  /** Answers tasks/get, tasks/update and tasks/cancel. */
  async answer(request: ModernRequest, exchange: Exchange): Promise<Result> {
    requireTasks(request);
    const { taskId } = parseTaskParams(request.params);
    this.#context.inputRequests.requireCaller(taskId, exchange);
    switch (request.method) {
      case method.updateTask:
        return this.#update(taskId, request, exchange);
      case method.cancelTask:
        return this.#cancel(taskId, request, exchange);
      default:
        return this.#complete(await this.#state(taskId, request, exchange));
    }
  }

  async #callAsTask(request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { calls, inputRequests } = this.#context;
    const result = await calls.run(request, exchange, await this.#taskParamOf(request));
    // A call with an input request starts its task only after the response.
    const started = startedTaskOf(result);
    if (!started) return result;
    const task = this.#toTask(started, request.method);
    inputRequests.listenFor(task.taskId, request, exchange);
    return { resultType: "task", ...task, ...(this.#meta && { _meta: this.#meta }) };
  }

  /** Undefined for a plain call. Where the tool leaves the choice, the caller decides. */
  async #taskParamOf(request: ModernRequest): Promise<JsonObject | undefined> {
    const support = await this.#context.tools.taskSupportOf(String(request.params.name));
    const augmentation = taskAugmentationOf(request);
    if (support !== "required" && !(support === "optional" && augmentation)) return undefined;
    return augmentation?.ttlMs === undefined ? {} : { ttl: augmentation.ttlMs };
  }

  async #read(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Task> {
    return this.#toTask(await this.#send(legacyMethod.getTask, taskId, request, exchange), request.method);
  }

  #send(name: string, taskId: string, { id, params }: ModernRequest, exchange: Exchange): Promise<Result> {
    return this.#context.calls.run({ id, method: name, params: { _meta: params._meta, taskId } }, exchange);
  }

  /** The task with the members that belong to its status. */
  async #state(taskId: string, request: ModernRequest, exchange: Exchange): Promise<JsonObject> {
    const { inputRequests } = this.#context;
    const task = await this.#read(taskId, request, exchange);
    // Only now: the server has confirmed that the task exists.
    inputRequests.listenFor(taskId, request, exchange);
    if (isTerminal(task.status)) {
      inputRequests.close(taskId, "the task has ended");
      return task.status === "cancelled" ? { ...task } : this.#withResult(task, request, exchange);
    }
    const open = await inputRequests.read(taskId, task.status === "input_required");
    // A server may report `input_required` before it sends the input request, and for a while after it got the answer.
    return open ? { ...task, status: "input_required", inputRequests: open } : { ...task, status: "working" };
  }

  /** A tool that failed has completed; only an error of the call is a failure. */
  async #withResult(task: Task, request: ModernRequest, exchange: Exchange): Promise<JsonObject> {
    try {
      const payload = await this.#send(legacyMethod.getTaskResult, task.taskId, request, exchange);
      return { ...task, status: "completed", result: toPayload(payload) };
    } catch (error) {
      if (task.status !== "failed" || !isMcpError(error)) throw error;
      return { ...task, error: toErrorObject(error) };
    }
  }

  async #update(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { inputResponses } = parseUpdateTaskParams(request.params);
    // A response without an input request still reports whether the task exists.
    if (!this.#context.inputRequests.answer(taskId, inputResponses)) await this.#read(taskId, request, exchange);
    return this.#complete({});
  }

  /** Acknowledges also when the task has ended, or when the server cannot cancel it. */
  async #cancel(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Result> {
    try {
      await this.#send(legacyMethod.cancelTask, taskId, request, exchange);
    } catch (error) {
      if (!isMcpError(error)) throw error;
      await this.#read(taskId, request, exchange);
    }
    this.#context.inputRequests.close(taskId, "the task was cancelled");
    return this.#complete({});
  }

  #complete(body: JsonObject): Result {
    return { resultType: "complete", ...body, ...(this.#meta && { _meta: this.#meta }) };
  }

  #toTask(value: unknown, sent: string): Task {
    const { peer, revision } = this.#context;
    const task = revision.fromServerTask(value);
    if (task) return task;
    throw new TransportError("invalid", `${sent} to ${peer}: expected a task with an id and a status`);
  }
}

/** FastMCP 2.14 returns the task of a call in `_meta`, without times. */
const fastmcpTaskKey = "modelcontextprotocol.io/task";

function startedTaskOf({ task, _meta }: Result): JsonObject | undefined {
  if (isJsonObject(task)) return task;
  const named = isJsonObject(_meta) ? (_meta as JsonObject)[fastmcpTaskKey] : undefined;
  if (!isJsonObject(named) || typeof named.taskId !== "string") return undefined;
  const now = new Date().toISOString();
  return { createdAt: now, lastUpdatedAt: now, ...named };
}

function isDeclared(request: ModernRequest): boolean {
  return declaresTasks(clientCapabilitiesOf(request));
}

/** The result of the plain call, without members that name the task. */
function toPayload({ resultType: _, _meta, ...result }: Result): JsonObject {
  const { [relatedTaskKey]: __, ...meta } = isJsonObject(_meta) ? _meta : {};
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, content, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}
