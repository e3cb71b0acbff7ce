// A task of the gateway, as operators see it.
import type { InputRequests, TaskStatus } from "@lethe/protocol";
import type { StoredTask } from "@lethe/server/stores";

/** A task of the gateway, running or ended, as operators see it. */
export interface LiveTask {
  /** The id in this process, which callers cannot use. */
  readonly id: string;
  readonly upstream: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  readonly callerId: string | undefined;
  readonly status: TaskStatus;
  readonly statusMessage: string | undefined;
  readonly inputRequests: InputRequests | undefined;
  /** ms since 1970 */
  readonly createdAt: number;
  /** ms since 1970 */
  readonly updatedAt: number;
  /** ms since 1970 */
  readonly expiresAt: number;
}

export function inputRequestsOf({ inputRequests = {} }: StoredTask): InputRequests {
  return Object.fromEntries(Object.entries(inputRequests).map(([key, { request }]) => [key, request]));
}

export function toLiveTask(task: StoredTask): LiveTask {
  const { taskId: id, tool: key, owner, status, statusMessage, createdAt, lastUpdatedAt, ttlMs } = task;
  const [upstream, tool] = JSON.parse(key) as [string, string];
  return {
    ...{ id, upstream, tool, callerId: owner, status, statusMessage, createdAt, updatedAt: lastUpdatedAt },
    inputRequests: task.inputRequests && inputRequestsOf(task),
    expiresAt: createdAt + ttlMs,
  };
}
