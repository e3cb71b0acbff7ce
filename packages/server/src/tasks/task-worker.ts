// The periodic work of one process: heartbeats for its running tasks, the end of expired or lost ones,
// the deletion of old ones, and with a durable store the recovery of tasks whose process died.
import { errorCode } from "@lethe/protocol";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { StoredTask } from "./stored-task.ts";
import type { TaskRun } from "./task-run.ts";
import type { TaskSettings } from "./task-settings.ts";
import { ended, isExpired, takenOver } from "./task-state.ts";

export interface TaskWorkerOptions {
  readonly settings: TaskSettings;
  /** The id of this process in the store. */
  readonly worker: string;
  policyOf(task: StoredTask): TaskPolicy | undefined;
  onError(error: unknown): void;
  publishState(task: StoredTask): void;
  /** Runs a task that this worker owns. */
  resumeTask(task: StoredTask): void;
}

export interface TaskWorker {
  /** The running tasks of this process. */
  readonly runs: Map<string, { readonly run: TaskRun; readonly finished: Promise<void> }>;
  isOwned(task: StoredTask): boolean;
  /** Await it before this worker takes a task: it sends the first heartbeat and starts the periodic work. */
  renewLease(): Promise<void>;
  begin(): void;
  /** Stops running tasks, waits for a grace period, and hands back the rest. */
  close(): Promise<void>;
}

const sweepEveryMs = 60_000;
/** Tasks of dead processes recovered at a time. */
const maxTakenOver = 1_000;

export function createTaskWorker(options: TaskWorkerOptions): TaskWorker {
  const { settings, worker, policyOf, onError, publishState, resumeTask } = options;
  const { store, leaseMs, keepMs } = settings;
  const runs: TaskWorker["runs"] = new Map();
  let timer: ReturnType<typeof setInterval> | undefined;
  let aliveUntil = 0;
  let sweptAt = Date.now();
  let isBusy = false;
  let isClosed = false;

  function isOwned(task: StoredTask): boolean {
    return task.worker === worker && task.status === "working" && !isExpired(task, Date.now());
  }

  async function renewLease(): Promise<void> {
    begin();
    const now = Date.now();
    if (aliveUntil - now > leaseMs / 2) return;
    aliveUntil = now + leaseMs;
    await store.keepAlive(worker, aliveUntil);
  }

  function begin(): void {
    if (timer !== undefined || isClosed) return;
    timer = setInterval(() => void watch(), Math.max(leaseMs / 3, 1));
    (timer as { unref?: () => void }).unref?.();
    // Not at once: the tools of this server are still being defined.
    if (store.isDurable) setTimeout(() => void watch(), 0);
  }

  async function watch(): Promise<void> {
    if (isBusy || isClosed) return;
    isBusy = true;
    try {
      if (runs.size > 0) await renewLease();
      await abortLostRuns();
      const now = Date.now();
      if (now - sweptAt >= sweepEveryMs) {
        sweptAt = now;
        await store.sweep(now);
      }
      if (store.isDurable) for (const task of await store.abandoned(now, maxTakenOver)) await takeOver(task);
    } catch (error) {
      onError(error);
    } finally {
      isBusy = false;
    }
  }

  /** Cancelled, taken over by another process, or expired. */
  async function abortLostRuns(): Promise<void> {
    for (const [taskId, { run }] of runs) {
      const task = await store.read(taskId);
      if (!task || !isOwned(task)) run.abort();
    }
  }

  async function takeOver(found: StoredTask): Promise<void> {
    const policy = policyOf(found);
    if (!policy || isClosed || runs.has(found.taskId)) return;
    await renewLease();
    const task = await store.update(found.taskId, (current) => {
      const taken = takenOver(current, found.worker, { worker, now: Date.now() });
      const reason = taken && reasonToFail(taken, policy, settings.maxDeaths);
      if (reason === undefined) return taken;
      const error = { code: errorCode.internalError, message: reason };
      return ended(current, { status: "failed", error }, { now: Date.now(), keepMs });
    });
    if (task?.status === "working") resumeTask(task);
    else if (task) publishState(task);
  }

  return {
    runs,
    isOwned,
    renewLease,
    begin,
    async close() {
      isClosed = true;
      clearInterval(timer);
      const open = [...runs.entries()];
      for (const [, { run }] of open) run.abort();
      await settledOrLate(
        open.map(([, { finished }]) => finished),
        settings.closeGraceMs,
      );
      // A stalled store must not keep the server from closing.
      await settledOrLate([handBack(open.map(([taskId]) => taskId)).catch(onError)], settings.closeGraceMs);
    },
  };

  async function handBack(taskIds: readonly string[]): Promise<void> {
    for (const taskId of taskIds) {
      await store.update(taskId, (task) => (isOwned(task) ? { ...task, worker: undefined } : undefined));
    }
    if (aliveUntil > 0) await store.keepAlive(worker, 0);
  }
}

function settledOrLate(promises: readonly Promise<unknown>[], ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void Promise.allSettled(promises).then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns the error for the caller, or undefined if the task may run again. */
function reasonToFail({ deaths }: StoredTask, policy: TaskPolicy, maxDeaths: number): string | undefined {
  const { restart = "resume" } = policy;
  if (restart === "fail") return "the server was restarted while the task was running";
  if (deaths > maxDeaths) return `the server died ${deaths} times while it ran the task`;
  return undefined;
}
