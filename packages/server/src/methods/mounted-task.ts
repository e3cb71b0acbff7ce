// Tasks of mounted servers: their ids are sealed for the caller, together with the tool whose server has the task.
import {
  type Caller,
  type Exchange,
  invalidParams,
  isJsonObject,
  type JsonObject,
  type ModernRequest,
  type Result,
  requireTasks,
} from "@lethe/protocol";
import { requireDeclaredScopes } from "../auth/scopes.ts";
import type { Forward } from "../features/forward.ts";
import type { Registry } from "../features/registry.ts";
import type { Binding, Seal } from "../seal/seal.ts";
import type { ServerParts } from "./server-parts.ts";

/** Task ids of this server have no dot. */
const marker = "m.";

/** A task of a mounted server. */
export interface MountedTask {
  readonly forward: Forward;
  /** Its id there. */
  readonly taskId: string;
}

/** The parts by which tasks of mounted servers are found. */
export interface MountedTaskParts {
  readonly registry: Registry;
  /** Its tokens live as long as a task may. */
  readonly taskSeal: Seal;
}

/** Returns the result of a call with the public id of its task. */
export async function sealTaskId(
  { taskSeal }: Pick<MountedTaskParts, "taskSeal">,
  tool: string,
  result: Result,
  caller: Caller | undefined,
): Promise<Result> {
  const sealed = await taskSeal.seal({ tool, taskId: result.taskId }, bindingOf(caller));
  return { ...result, taskId: `${marker}${sealed}` };
}

export function isMountedTaskId(taskId: unknown): taskId is string {
  return typeof taskId === "string" && taskId.startsWith(marker);
}

/** Undefined for a task that the caller may not follow. */
export async function findMountedTask(
  { registry, taskSeal }: MountedTaskParts,
  publicId: string,
  exchange: Exchange,
): Promise<MountedTask | undefined> {
  const { caller } = exchange;
  const payload = await taskSeal.open(publicId.slice(marker.length), bindingOf(caller)).catch(() => undefined);
  if (payload === undefined || typeof payload.tool !== "string" || typeof payload.taskId !== "string") return undefined;
  const definition = registry.tools.get(payload.tool, caller);
  if (definition?.forward === undefined) return undefined;
  requireDeclaredScopes(exchange, definition.feature.scopes ?? []);
  return { forward: definition.forward, taskId: payload.taskId };
}

/** Forwards tasks/get, tasks/update and tasks/cancel. Throws McpError -32602 for a task of another caller. */
export async function forwardTaskRequest(
  parts: ServerParts,
  request: ModernRequest,
  exchange: Exchange,
  send: (forward: Forward, request: ModernRequest) => Promise<Result>,
): Promise<Result> {
  requireTasks(request);
  const publicId = request.params.taskId as string;
  const task = await findMountedTask(parts, publicId, exchange);
  if (task === undefined) throw invalidParams("unknown task");
  const result = await send(task.forward, { ...request, params: { ...request.params, taskId: task.taskId } });
  return withTaskId(result, task.taskId, publicId) as Result;
}

/** A task in a result or notification under its public id. */
export function withTaskId(members: JsonObject, ownId: string, publicId: string): JsonObject {
  return isJsonObject(members) && members.taskId === ownId ? { ...members, taskId: publicId } : members;
}

function bindingOf(caller: Caller | undefined): Binding {
  return { callerId: caller?.id, method: "mounted task", target: "", arguments: "" };
}
