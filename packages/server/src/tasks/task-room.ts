// The limits of a task store.
import { overloaded, tooManyRequests } from "@lethe/protocol";
import type { TaskLimits } from "./task-store.ts";

/** How long a rejected caller should wait, in ms. */
const retryAfterMs = 10_000;

/** Tasks of a store, and those of one owner: 0 without an owner. */
export interface TaskUsage {
  readonly live: number;
  readonly liveOfOwner: number;
  readonly ended: number;
  readonly endedOfOwner: number;
}

/**
 * For implementations of TaskStore: throws a retryable McpError when the store or the owner has reached a limit.
 *
 * @example
 * import { requireRoom } from "@lethe/server/stores";
 *
 * const limits = { maxTasks: 10_000, maxTasksPerCaller: 1_000, maxEnded: 100_000, maxEndedPerCaller: 10_000 };
 * requireRoom({ live: 10, liveOfOwner: 2, ended: 0, endedOfOwner: 0 }, limits);
 */
export function requireRoom(usage: TaskUsage, limits: TaskLimits): void {
  const { maxTasks, maxTasksPerCaller, maxEnded, maxEndedPerCaller } = limits;
  if (usage.live >= maxTasks) throw overloaded(`at most ${maxTasks} tasks at a time`, retryAfterMs);
  if (usage.ended >= maxEnded) throw overloaded(`at most ${maxEnded} ended tasks are kept`, retryAfterMs);
  if (usage.liveOfOwner >= maxTasksPerCaller) {
    throw tooManyRequests(`at most ${maxTasksPerCaller} tasks of one caller at a time`, retryAfterMs);
  }
  if (usage.endedOfOwner >= maxEndedPerCaller) {
    throw tooManyRequests(`at most ${maxEndedPerCaller} ended tasks of one caller are kept`, retryAfterMs);
  }
}
