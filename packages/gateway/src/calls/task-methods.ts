// tasks/get, tasks/update and tasks/cancel at the gateway, routed by the id alone, which contains the location of the task.
import {
  type Caller,
  clientCapabilitiesOf,
  type Dispatch,
  type Exchange,
  type Implementation,
  invalidParams,
  isDetailedTask,
  isJsonObject,
  isMcpError,
  type JsonObject,
  type McpError,
  type ModernRequest,
  metaKey,
  method,
  parseTaskParams,
  parseUpdateTaskParams,
  type Result,
  requireTasks,
} from "@lethe/protocol";
import { isReplicaError } from "@lethe/server/stores";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import {
  notStarted,
  throwReplicaFailure,
  type UpstreamFailure,
  upstreamError,
} from "../upstreams/connection/upstream-error.ts";
import type { CallForwarder } from "./call-forwarder.ts";
import { withText } from "./caller-result.ts";
import { toCallerTask } from "./caller-task.ts";
import { type FoundTask, TaskFinder, type TaskFinderOptions } from "./find-task.ts";
import { isNotStarted, type RequestHold, upstreamOf } from "./request-hold.ts";
import { taskLost } from "./task-recovery.ts";

export interface TaskMethodsOptions extends TaskFinderOptions {
  readonly forwarder: CallForwarder;
  readonly hold: RequestHold;
  /** The server that callers of the endpoint see. Default: the gateway. */
  serverInfo?(): Implementation;
  /** Changes the references in the result of a call so that they lead to the upstream. Default: no change. */
  publish?: PublishPayload | undefined;
}

/** Changes `result`, which is a copy. */
export type PublishPayload = (result: JsonObject, upstream: string) => JsonObject;

/** The task as the callers of one endpoint see it. */
export function publishTask<T extends object>(task: T, upstream: string, publish: PublishPayload | undefined): T {
  const { status, result } = task as { status?: unknown; result?: unknown };
  if (!publish || status !== "completed" || !isJsonObject(result)) return task;
  return { ...task, result: publish({ ...result }, upstream) };
}

export interface TaskMethods {
  readonly answer: Dispatch;
  /** Finds a task of this caller; undefined for any other id. */
  find(taskId: string, caller: Caller | undefined): Promise<FoundTask | undefined>;
}

export function createTaskMethods(options: TaskMethodsOptions): TaskMethods {
  const { own, forwarder, hold, sessionsOf, serverInfo = () => gatewayInfo, publish } = options;
  const finder = new TaskFinder(options);
  const ownMeta = (): JsonObject => ({ [metaKey.serverInfo]: serverInfo() });

  /** Holds a request whose task is at a replica that cannot be reached at the moment. */
  async function answer(request: ModernRequest, exchange: Exchange): Promise<Result> {
    requireTasks(request);
    const parse = request.method === method.updateTask ? parseUpdateTaskParams : parseTaskParams;
    const { taskId } = parse(request.params);
    const since = hold.now();
    try {
      return await answerOnce(taskId, request, exchange);
    } catch (error) {
      const sessions = isNotStarted(error) ? sessionsOf(upstreamOf(error)) : undefined;
      if (!sessions) throw error;
      return hold.retry({ sessions, request, exchange, since }, error, () => answerOnce(taskId, request, exchange));
    }
  }

  async function answerOnce(taskId: string, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const found = await finder.find(taskId, exchange.caller);
    if (!found) throw unknownTask();
    if (found.peer) {
      return found.peer(request, exchange).catch((error) => throwPeerFailure(found.place.upstream, request, error));
    }
    return found.place.isOwn ? answerOwn(found, request) : relay(found, request, exchange);
  }

  async function answerOwn(found: FoundTask, request: ModernRequest): Promise<Result> {
    const { taskId, ended, place } = found;
    const { id, upstream } = place;
    if (found.isLost) throw taskLost(upstream);
    const task = ended ?? (await own.read(id));
    if (!task) throw unknownTask();
    if (request.method === method.getTask) {
      return { resultType: "complete", ...publishTask(task, upstream, publish), taskId, _meta: ownMeta() };
    }
    if (ended) return { resultType: "complete", _meta: ownMeta() };
    if (request.method === method.updateTask) await own.update(id, request);
    else await own.cancel(id);
    return { resultType: "complete", _meta: ownMeta() };
  }

  async function relay(found: FoundTask, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { taskId, place, sessions } = found;
    const { upstream, id, handle } = place;
    const target = { sessions, params: { taskId: id }, serverInfo: serverInfo() };
    const state = { upstream, ...(handle !== undefined && { handle }) };
    const result = await forwarder.forward(target, request, exchange, state).catch(toOutage);
    if (request.method !== method.getTask) return { resultType: "complete", _meta: ownMeta() };
    if (!isDetailedTask(result)) throw upstreamError(upstream, "invalid", "gave an answer that is no task");
    const view = { taskId, place, serverInfo: serverInfo(), declared: clientCapabilitiesOf(request) };
    const task = publishTask(toCallerTask(result, view), upstream, publish);
    return { resultType: "complete", ...task, _meta: ownMeta() };
  }

  return { answer, find: (taskId, caller) => finder.find(taskId, caller) };
}

/** ms */
const retryAfterMs = 1_000;
const passing: ReadonlySet<unknown> = new Set<UpstreamFailure>(["unavailable", "lost", "timeout"]);

/** A task survives an outage of its upstream, so the error tells the caller to retry. */
function toOutage(error: unknown): never {
  if (!isMcpError(error) || !isJsonObject(error.data) || !passing.has(error.data.reason)) throw error;
  throw withText(error, error.message, { retryAfterMs, ...error.data });
}

/** Reading or cancelling a task twice does no harm, so a replica that fails meanwhile is the same as one that could not be reached. */
function throwPeerFailure(upstream: string, request: ModernRequest, error: unknown): never {
  const isHarmless = isReplicaError(error) && error.reason === "lost" && request.method !== method.updateTask;
  if (!isHarmless) throwReplicaFailure(upstream, error);
  throw notStarted(upstream, "unavailable", "runs this task at a replica of the gateway that has failed", {
    cause: error,
  });
}

/** The same error for every reason, with the text that servers use. */
function unknownTask(): McpError {
  return invalidParams("unknown task");
}
