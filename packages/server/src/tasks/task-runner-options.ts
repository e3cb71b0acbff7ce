// What a task runner is created with, and what it is called with.
import type { DetailedTask, Exchange, KnownOptions, ModernRequest, Result } from "@lethe/protocol";
import type { Clock } from "../clock/clock.ts";
import type { TaskPolicy } from "../features/task-policy.ts";
import type { StoredTask, TaskWork } from "./stored-task.ts";
import type { TaskRun } from "./task-run.ts";
import type { TaskSettings } from "./task-settings.ts";

/** A tool call that may become a task. */
export interface TaskCall {
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  readonly tool: string;
  readonly policy: TaskPolicy;
  /** The fingerprint of the handler, which the task stores with the journal. */
  mark(): Promise<string>;
  /** The declared version of the handler. Undefined: it has none. */
  readonly version: string | undefined;
  /** Runs the handler. */
  execute(run: TaskRun): Promise<Result>;
}

/** Options of `createTaskRunner`. */
export interface TaskRunnerOptions {
  /** The store, times and limits. Created by `createTaskSettings`. */
  readonly settings: TaskSettings;
  /** Called with every new state of a task, for subscribers. */
  publish(task: DetailedTask): void;
  /** Runs the handler of a stored task. */
  resume(run: TaskRun, task: StoredTask): Promise<Result>;
  /** The policy of the task's tool; undefined when this process does not have the tool. */
  policyOf(task: StoredTask, work: TaskWork): TaskPolicy | undefined;
  /** The tools whose tasks this process runs, with their policies. Default: none, so it runs only what it is called for. */
  tools?(): Iterable<readonly [string, TaskPolicy]>;
  /** The URL of a callback. Default: handlers cannot wait for callbacks. */
  toCallbackUrl?(taskId: string, key: string): Promise<string>;
  /** Called when a task could not be stored. */
  onError(error: unknown): void;
  /** Default: the clock of this process. */
  readonly clock?: Clock;
  /** The id of this process in the store. Default: a random one. */
  readonly worker?: string;
}

export const knownTaskRunnerOptions: KnownOptions<TaskRunnerOptions> = {
  settings: "an object",
  publish: "a function",
  resume: "a function",
  policyOf: "a function",
  tools: true,
  toCallbackUrl: true,
  onError: "a function",
  clock: true,
  worker: true,
};
