// How a worker acquires tasks: takes those of lost workers back, ends delays, and locks the tasks of its turn for itself.
import type { StoredText } from "@lethe/server/sealing";
import { type AcquireRequest, culpritOf, lossDelayMs, type TaskHold } from "@lethe/server/stores";
import type { PostgresLink } from "../connection/postgres-link.ts";
import {
  acquireInLanes,
  acquireOne,
  acquireSuspects,
  endDelays,
  hearWorker,
  lockHeldTasks,
  removeLostWorkers,
  takeBackTasks,
} from "./worker-statements.ts";

/** A task as a row: its encrypted state, and what the store keeps beside it. */
export interface TaskRow {
  readonly state: string;
  readonly createdAt: number;
  readonly worker: string | null;
  readonly fence: number;
  readonly losses: number;
  readonly deaths: number;
}

export interface AcquiredRow extends TaskRow {
  readonly id: string;
  readonly priority: number;
  readonly readyAt: number;
  readonly work: StoredText;
  readonly expiresInMs: number;
}

/** Lost workers whose tasks one transaction takes back. */
const maxWorkers = 10;
/** Delays that one call ends. */
const maxDue = 1_000;

type Tasks = Pick<PostgresLink, "prefix" | "run" | "transact">;

/** Returns the acquired tasks in their order. */
export async function acquireRows(
  postgres: Tasks,
  worker: string,
  { lanes, limit, mayBeSuspect, leaseMs, taskId }: AcquireRequest,
): Promise<readonly AcquiredRow[]> {
  const { prefix, run } = postgres;
  const [heard] = await run<{ hasLost: boolean; hasDue: boolean }>(hearWorker, [prefix, worker, leaseMs]);
  if (heard?.hasLost) await takeBack(postgres);
  if (heard?.hasLost || heard?.hasDue) await run(endDelays, [prefix, maxDue]);
  if (taskId !== undefined) return run<AcquiredRow>(acquireOne, [prefix, worker, 1, taskId, mayBeSuspect]);
  const unique = [...new Set(lanes)];
  if (unique.length === 0 || limit < 1) return [];
  const suspects = mayBeSuspect ? await run<AcquiredRow>(acquireSuspects, [prefix, worker, 1, unique]) : [];
  const rest = limit - suspects.length;
  const others = rest > 0 ? await run<AcquiredRow>(acquireInLanes, [prefix, worker, rest, unique]) : [];
  return [...suspects, ...others.toSorted(byTurn)];
}

/** Puts the tasks of workers with an expired lease back into their lanes. */
async function takeBack({ prefix, transact }: Tasks): Promise<void> {
  await transact(async (run) => {
    const removed = await run<{ worker: string }>(removeLostWorkers, [prefix, maxWorkers]);
    if (removed.length === 0) return;
    const workers = removed.map(({ worker }) => worker);
    const tasks = await run<TaskHold & { id: string }>(lockHeldTasks, [prefix, workers]);
    const culprits = new Set(workers.map((worker) => culpritOf(tasks.filter((task) => task.worker === worker))));
    const charges = tasks.map((task) => (culprits.has(task) ? 1 : 0));
    const delays = tasks.map(({ losses }) => lossDelayMs(losses + 1));
    await run(takeBackTasks, [prefix, tasks.map(({ id }) => id), charges, delays]);
  });
}

function byTurn(one: AcquiredRow, other: AcquiredRow): number {
  return other.priority - one.priority || one.readyAt - other.readyAt || (one.id < other.id ? -1 : 1);
}
