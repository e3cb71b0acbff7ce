// Tasks that a build before the append-only journal stored. They can be read until they expire: an ended one as it is, any other as it is
// while a process of that build runs a task, and as failed afterwards.
import { errorCode, isTerminal, type JsonObject } from "@lethe/protocol";
import type { StoredTask } from "./stored-task.ts";

/**
 * For implementations of TaskStore: converts a task that a build before fencing numbers stored. `isServed` says whether a process of that
 * build is alive. If not, a task that has not ended is failed with `data.reason` "previous_format".
 *
 * @example
 * import { fromPreviousFormat } from "@lethe/server/stores";
 *
 * const stored = { taskId: "t", tool: "print", status: "working", createdAt: 0, ttlMs: 60_000, pollIntervalMs: 1_000, deaths: 0 };
 * console.log(fromPreviousFormat(stored, false).status); // failed
 */
export function fromPreviousFormat(stored: JsonObject, isServed: boolean): StoredTask {
  const { work: _, worker: __, ...kept } = stored;
  const task = { ...kept, lane: "", priority: 0, fence: 0, losses: 0 } as unknown as StoredTask;
  if (isServed || isTerminal(task.status)) return task;
  const message = "the task was created by an earlier build of the server, which no longer runs";
  const error = { code: errorCode.internalError, message, data: { reason: "previous_format" } };
  const { inputRequests: ___, ...rest } = task;
  return { ...rest, status: "failed", statusMessage: message, error };
}
