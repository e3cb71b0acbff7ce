// What happens to tasks whose worker was lost: pure functions that every store applies.
import type { StoredTask, TaskHold } from "./stored-task.ts";
import { suspectLosses } from "./task-store.ts";

/** A suspect was lost repeatedly without progress. A worker runs at most one, so that a poisonous task can be told apart from its neighbours. */
export function isSuspect({ losses }: TaskHold): boolean {
  return losses >= suspectLosses;
}

/**
 * For implementations of TaskStore: the task that plausibly caused the loss of the worker that held `tasks`: the only suspect, else the
 * only one that was lost before, else the only one. Undefined when several are equally plausible.
 *
 * @example
 * import { culpritOf } from "@lethe/server/stores";
 *
 * const one = { fence: 1, losses: 2, deaths: 0 };
 * const other = { fence: 1, losses: 0, deaths: 0 };
 * console.log(culpritOf([one, other]) === one); // true
 */
export function culpritOf<T extends TaskHold>(tasks: readonly T[]): T | undefined {
  const suspects = tasks.filter(isSuspect);
  const lostBefore = suspects.length > 0 ? suspects : tasks.filter(({ losses }) => losses > 0);
  const plausible = lostBefore.length > 0 ? lostBefore : tasks;
  return plausible.length === 1 ? plausible[0] : undefined;
}

/** The task without its lost worker. */
export function lost(task: StoredTask, isCulprit: boolean): StoredTask {
  return { ...task, worker: undefined, losses: task.losses + 1, deaths: task.deaths + (isCulprit ? 1 : 0) };
}

/** What an update makes of a task: its worker holds it, it waits for one, it waits for input, or it has ended. */
export type TaskOutcome = "held" | "waiting" | "idle" | "ended";

/**
 * For implementations of TaskStore: what an update makes of the task `before`.
 *
 * @example
 * import { outcomeOf, type StoredTask } from "@lethe/server/stores";
 *
 * const task = { taskId: "t", status: "working", worker: "w", fence: 1, losses: 0, deaths: 0 } as StoredTask;
 * console.log(outcomeOf(task, { ...task, status: "completed" })); // ended
 */
export function outcomeOf(before: StoredTask, { status, worker }: StoredTask): TaskOutcome {
  if (status === "input_required") return "idle";
  if (status !== "working") return "ended";
  return worker !== undefined && before.worker !== undefined ? "held" : "waiting";
}

/**
 * For implementations of TaskStore: the task after an update, as the store returns it. The hold belongs to the store: an update may only
 * end it, or withdraw a death.
 *
 * @example
 * import { outcomeOf, type StoredTask, withHoldOf } from "@lethe/server/stores";
 *
 * const task = { taskId: "t", status: "working", worker: "w", fence: 1, losses: 0, deaths: 0 } as StoredTask;
 * const changed = { ...task, worker: undefined };
 * console.log(withHoldOf(task, changed, outcomeOf(task, changed)).worker); // undefined
 */
export function withHoldOf(before: StoredTask, changed: StoredTask, becomes: TaskOutcome): StoredTask {
  const { worker, fence, losses } = before;
  const deaths = Math.min(before.deaths, changed.deaths);
  const { worker: _, delayMs: __, ...state } = changed;
  const hold = { fence, losses: becomes === "idle" || becomes === "ended" ? 0 : losses, deaths };
  return { ...state, ...hold, ...(becomes === "held" && worker !== undefined && { worker }) };
}
