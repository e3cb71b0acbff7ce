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
  McpError,
  type ModernRequest,
  metaKey,
  method,
  parseTaskParams,
  parseUpdateTaskParams,
  type Result,
  requireTasks,
} from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import { throwReplicaFailure, type UpstreamFailure, upstreamError } from "../upstreams/connection/upstream-error.ts";
import { ofEra } from "../upstreams/sessions/era-choice.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { CallForwarder } from "./call-forwarder.ts";
import { toCallerTask } from "./caller-task.ts";
import type { GatewayTasks } from "./gateway-tasks.ts";
import type { TaskIds, TaskLocation } from "./task-ids.ts";

export interface TaskMethodsOptions {
  readonly ids: TaskIds;
  readonly own: GatewayTasks;
  readonly directory: Directory;
  readonly forwarder: CallForwarder;
  /** The path of the endpoint: replicas forward requests to it. */
  readonly path: string;
  /** Undefined for an upstream that this endpoint does not serve. */
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  /** A caller that loses access to a tool also loses access to its tasks. */
  mayCall(caller: Caller | undefined, upstream: string, tool: string): boolean;
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

export interface FoundTask {
  readonly taskId: string;
  readonly place: TaskLocation;
  readonly sessions: UpstreamSessions;
  /** The replica that owns the task, if it is another one. */
  readonly peer: Dispatch | undefined;
}

export function createTaskMethods(options: TaskMethodsOptions): TaskMethods {
  const {
    ids,
    own,
    directory,
    forwarder,
    path,
    sessionsOf,
    mayCall,
    serverInfo = () => gatewayInfo,
    publish,
  } = options;
  const ownMeta = (): JsonObject => ({ [metaKey.serverInfo]: serverInfo() });

  async function find(taskId: string, caller: Caller | undefined): Promise<FoundTask | undefined> {
    const place = await ids.open(taskId, caller);
    const main = place && sessionsOf(place.upstream);
    if (!main || !mayCall(caller, place.upstream, place.tool)) return undefined;
    const sessions = await ofEra(main, place.era);
    return { taskId, place, sessions, peer: await peerOf(place) };
  }

  /** Undefined when the replica is gone: an upstream that keeps tasks in a file may still know the task. */
  async function peerOf({ replica, upstream }: TaskLocation): Promise<Dispatch | undefined> {
    if (replica === undefined || replica === directory.self) return undefined;
    try {
      return await directory.reach(replica, path);
    } catch (error) {
      throwReplicaFailure(upstream, error);
    }
  }

  async function answer(request: ModernRequest, exchange: Exchange): Promise<Result> {
    requireTasks(request);
    const parse = request.method === method.updateTask ? parseUpdateTaskParams : parseTaskParams;
    const found = await find(parse(request.params).taskId, exchange.caller);
    if (!found) throw unknownTask();
    if (found.peer) {
      return found.peer(request, exchange).catch((error) => throwReplicaFailure(found.place.upstream, error));
    }
    return found.place.isOwn ? answerOwn(found, request) : relay(found, request, exchange);
  }

  async function answerOwn({ taskId, place: { id, upstream } }: FoundTask, request: ModernRequest): Promise<Result> {
    const task = await own.read(id);
    if (!task) throw unknownTask();
    if (request.method === method.getTask) {
      return { resultType: "complete", ...publishTask(task, upstream, publish), taskId, _meta: ownMeta() };
    }
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

  return { answer, find };
}

/** ms */
const retryAfterMs = 1_000;
const passing: ReadonlySet<unknown> = new Set<UpstreamFailure>(["unavailable", "lost", "timeout"]);

/** A task survives an outage of its upstream, so the error tells the caller to retry. */
function toOutage(error: unknown): never {
  if (!isMcpError(error) || !isJsonObject(error.data) || !passing.has(error.data.reason)) throw error;
  throw new McpError(error.code, error.message, { data: { retryAfterMs, ...error.data }, cause: error });
}

/** The same error for every reason, with the text that servers use. */
function unknownTask(): McpError {
  return invalidParams("unknown task");
}
