// Decides whether a task that lost its worker may run again.
import { errorCode } from "@lethe/protocol";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { StoredTask } from "./stored-task.ts";
import type { TaskEnd } from "./task-state.ts";

export interface TaskFailure {
  /** `data.reason` of the error, and the label of the metric. */
  readonly reason: string;
  readonly end: TaskEnd;
}

/** Why a task that lost its worker may not run again. */
export function failureOf(
  { deaths, losses }: StoredTask,
  { restart = "resume" }: TaskPolicy,
  maxDeaths: number,
): TaskFailure | undefined {
  if (restart === "fail" && losses > 0) {
    return failure("server_restarted", "the server was restarted while the task was running");
  }
  if (deaths < maxDeaths || deaths === 0) return undefined;
  return failure("worker_deaths", `the server died ${deaths} times while it ran the task`);
}

function failure(reason: string, message: string): TaskFailure {
  const error = { code: errorCode.internalError, message, data: { reason } };
  return { reason, end: { status: "failed", error } };
}
