// What holds for all tasks of one server. Everything has a bound, and a default that a deployment can keep.
import { createMemoryTaskStore } from "./memory-task-store.ts";
import type { TaskLimits, TaskStore } from "./task-store.ts";

export interface TasksOptions extends Partial<TaskLimits> {
  /** Default: in memory. A store that is passed in stays open when the server closes. */
  store?: TaskStore;
  /** ms; how long the caller of an `auto` tool waits before it gets a task instead. Default 1000. */
  afterMs?: number;
  /** ms from creation; how long a task can be asked after (F-17). Default one hour, and no tool may have more than `maxTtlMs`. */
  ttlMs?: number;
  /** ms; default one day. */
  maxTtlMs?: number;
  /** ms; a result is kept at least so long, also when the time to live ends sooner. Default five minutes. */
  keepMs?: number;
  /** ms; how often clients should ask (F-16). Default 1000. */
  pollIntervalMs?: number;
  /** As JSON; a larger one fails the task. Default 1 MiB. */
  maxResultBytes?: number;
  /** Of a task, as JSON; default 1 MiB. */
  maxJournalBytes?: number;
  /** How often one task may ask for input. Default 100. */
  maxRounds?: number;
  /** ms; with a durable store: how long after its last sign of life a process counts as dead. Default 15,000. */
  leaseMs?: number;
  /** How often a task is taken up again after its process died. Default 3. */
  maxDeaths?: number;
  /** ms; how long `close` waits for handlers to end. Default 5000. */
  closeGraceMs?: number;
}

export type TaskSettings = Readonly<Required<TasksOptions>>;

/**
 * Fills in the defaults of `TasksOptions`. Throws an Error that names an invalid option.
 *
 * @example
 * import { createTaskSettings } from "@lethe/server/edge";
 *
 * console.log(createTaskSettings({ afterMs: 500 }).afterMs); // 500
 */
export function createTaskSettings(options: TasksOptions = {}): TaskSettings {
  const { store = createMemoryTaskStore(), maxTtlMs = 86_400_000, ...given } = options;
  const settings: TaskSettings = {
    store,
    maxTtlMs,
    afterMs: given.afterMs ?? 1_000,
    ttlMs: Math.min(given.ttlMs ?? 3_600_000, maxTtlMs),
    keepMs: given.keepMs ?? 300_000,
    pollIntervalMs: given.pollIntervalMs ?? 1_000,
    maxTasks: given.maxTasks ?? 10_000,
    maxTasksPerCaller: given.maxTasksPerCaller ?? 1_000,
    maxResultBytes: given.maxResultBytes ?? 1_048_576,
    maxJournalBytes: given.maxJournalBytes ?? 1_048_576,
    maxRounds: given.maxRounds ?? 100,
    leaseMs: given.leaseMs ?? 15_000,
    maxDeaths: given.maxDeaths ?? 3,
    closeGraceMs: given.closeGraceMs ?? 5_000,
  };
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === "number" && !(value >= 0)) throw new Error(`tasks.${name}: a number expected, got ${value}`);
  }
  return settings;
}
