// The settings of tasks on one server: limits and their defaults.
import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";
import { createMemoryTaskStore } from "./memory-task-store.ts";
import type { TaskMeter } from "./task-meter.ts";
import type { TaskLimits, TaskStore } from "./task-store.ts";

/** Options of tasks: their store, times in ms, and limits. Every option has a default. */
export interface TasksOptions extends Partial<TaskLimits> {
  /** Default: in memory. A store that is passed in stays open when the server closes. */
  store?: TaskStore;
  /** How long a call of an `auto` tool may take before it becomes a task, in ms. Default 1,000. */
  afterMs?: number;
  /** How long a task is kept from its creation, in ms; at most `maxTtlMs`. Default 3,600,000 (1 hour). */
  ttlMs?: number;
  /** The longest time to live that a tool may set, in ms. Default 86,400,000 (1 day). */
  maxTtlMs?: number;
  /** How long a result is kept at least, in ms, even beyond the time to live. Default 300,000 (5 minutes). */
  keepMs?: number;
  /** The poll interval for clients, in ms. Default 1,000. */
  pollIntervalMs?: number;
  /** Size of a result as JSON, in bytes; a larger one fails the task. Default 1 MiB. */
  maxResultBytes?: number;
  /** Size of a task's journal as JSON, in bytes. Default 1 MiB. */
  maxJournalBytes?: number;
  /** Rounds of input requests per task. Default 100. */
  maxRounds?: number;
  /** How long a task may sleep in total, in ms. Its sleeps extend its time to live. Default 2,592,000,000 (30 days). */
  maxSleepMs?: number;
  /** How long a process may hold its tasks after it last reached the store, in ms. Default 15,000 (15 s). */
  leaseMs?: number;
  /** How many processes a task may bring down before it fails. Default 3. */
  maxDeaths?: number;
  /** Tasks that this process runs at a time. The others wait in the store. Default 100. */
  concurrency?: number;
  /** The queues whose tasks this process runs. Default: all. */
  queues?: readonly string[];
  /** Records metrics: `taskMetrics({ api })` of `@lethe/server/middleware`. Default: none. */
  meter?: TaskMeter;
  /** How long `close` waits for handlers to end, in ms. Default 5,000. */
  closeGraceMs?: number;
}

export const knownTasksOptions: KnownOptions<TasksOptions> = {
  store: true,
  afterMs: true,
  ttlMs: true,
  maxTtlMs: true,
  keepMs: true,
  pollIntervalMs: true,
  maxResultBytes: true,
  maxJournalBytes: true,
  maxRounds: true,
  maxSleepMs: true,
  leaseMs: true,
  maxDeaths: true,
  concurrency: true,
  queues: true,
  meter: true,
  closeGraceMs: true,
  maxTasks: true,
  maxTasksPerCaller: true,
  maxEnded: true,
  maxEndedPerCaller: true,
};

/** The options of tasks with all defaults. Created by `createTaskSettings`. */
export interface TaskSettings extends Readonly<Required<Omit<TasksOptions, "queues" | "meter">>> {
  /** The queues whose tasks this process runs. Undefined: all. */
  readonly queues: readonly string[] | undefined;
  /** Receives what happens to tasks. Undefined: no metrics. */
  readonly meter: TaskMeter | undefined;
}

/**
 * Fills in the defaults of `TasksOptions`. The default store uses `clock`. Throws an Error that names an invalid option.
 *
 * @example
 * import { createTaskSettings } from "@lethe/server/edge";
 *
 * console.log(createTaskSettings({ afterMs: 500 }).afterMs); // 500
 */
export function createTaskSettings(options: TasksOptions = {}, clock: Clock = systemClock): TaskSettings {
  checkOptions("createTaskSettings", options, knownTasksOptions);
  const { store = createMemoryTaskStore({ clock }), maxTtlMs = 86_400_000, ...given } = options;
  const settings: TaskSettings = {
    store,
    maxTtlMs,
    afterMs: given.afterMs ?? 1_000,
    ttlMs: Math.min(given.ttlMs ?? 3_600_000, maxTtlMs),
    keepMs: given.keepMs ?? 300_000,
    pollIntervalMs: given.pollIntervalMs ?? 1_000,
    maxTasks: given.maxTasks ?? 10_000,
    maxTasksPerCaller: given.maxTasksPerCaller ?? 1_000,
    maxEnded: given.maxEnded ?? 100_000,
    maxEndedPerCaller: given.maxEndedPerCaller ?? 10_000,
    maxResultBytes: given.maxResultBytes ?? 1_048_576,
    maxJournalBytes: given.maxJournalBytes ?? 1_048_576,
    maxRounds: given.maxRounds ?? 100,
    maxSleepMs: given.maxSleepMs ?? 2_592_000_000,
    leaseMs: given.leaseMs ?? 15_000,
    maxDeaths: given.maxDeaths ?? 3,
    concurrency: given.concurrency ?? 100,
    queues: given.queues,
    meter: given.meter,
    closeGraceMs: given.closeGraceMs ?? 5_000,
  };
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === "number" && !(value >= 0)) throw new Error(`tasks.${name}: a number expected, got ${value}`);
  }
  return settings;
}
