// What happens to tasks whose worker was lost: pure functions that every store applies.
import type { StoredTask, TaskHold } from "./stored-task.ts";
import { suspectLosses } from "./task-store.ts";

/** A suspect was lost repeatedly without progress. A worker runs at most one, so that a poisonous task can be told apart from its neighbours. */
export function isSuspect({ losses }: TaskHold): boolean {
  return losses >= suspectLosses;
}

/**
 * The task that plausibly caused the loss of the worker that held `tasks`: the only suspect, else the only one that was lost
 * before, else the only one. Undefined when several are equally plausible.
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
