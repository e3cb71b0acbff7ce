// The tasks of a server, as its client sees them (F).
import {
  type DetailedTask,
  isDetailedTask,
  type JsonObject,
  type KnownOptions,
  McpError,
  method,
  type Result,
  type Task,
} from "@lethe/protocol";
import { Deadline } from "../call/deadline.ts";
import { TransportError } from "../call/transport-error.ts";
import type { Handlers } from "../interaction/handlers.ts";
import type { MergedSubscriptions } from "../subscriptions/merged-subscriptions.ts";
import { followTask, type TaskHandle } from "./follow-task.ts";
import { listenForTask, noNews } from "./task-news.ts";
import { type TaskOptions, toTaskSettings } from "./task-options.ts";

/** Options of following a task to its end. */
export interface FollowOptions {
  /** Aborting it also cancels the task. */
  signal?: AbortSignal;
  /** Receives every new state, including the first. Store one of them to find the task again with `client.task`. */
  onTask?: (task: Task) => void;
}

export const knownFollowOptions: KnownOptions<FollowOptions> = { signal: true, onTask: true };

export interface Tasks {
  /**
   * The result of the call. Rejects with the McpError that failed the task, and with TransportError if the task was
   * cancelled.
   */
  follow(task: TaskHandle | (Task & TaskHandle), options?: FollowOptions): Promise<Result>;
  get(taskId: string, signal?: AbortSignal): Promise<DetailedTask>;
  update(taskId: string, inputResponses: JsonObject, signal?: AbortSignal): Promise<void>;
  cancel(taskId: string, signal?: AbortSignal): Promise<void>;
  /** Stops following all tasks. The tasks themselves continue. */
  close(): void;
}

export interface TasksOptions {
  readonly serverName: string;
  readonly handlers: Handlers;
  readonly subscriptions: MergedSubscriptions;
  readonly settings: TaskOptions;
  send(method: string, params: JsonObject, call?: { signal?: AbortSignal; timeoutMs?: number }): Promise<Result>;
  onWarning(message: string): void;
}

// In ms: a caller that cancels does not wait long for the acknowledgement.
const cancelTimeoutMs = 5_000;

export function createTasks({ serverName, handlers, subscriptions, send, onWarning, ...given }: TasksOptions): Tasks {
  const settings = toTaskSettings(given.settings);
  const open = new Set<Deadline>();

  async function get(taskId: string, signal?: AbortSignal): Promise<DetailedTask> {
    const task = await send(method.getTask, { taskId }, signal && { signal });
    if (isDetailedTask(task)) return task;
    throw new TransportError(
      "invalid",
      `${method.getTask} to ${serverName}: expected a task and what its status takes`,
    );
  }

  async function update(taskId: string, inputResponses: JsonObject, signal?: AbortSignal): Promise<void> {
    await send(method.updateTask, { taskId, inputResponses }, signal && { signal });
  }

  async function cancel(taskId: string, signal?: AbortSignal): Promise<void> {
    await send(method.cancelTask, { taskId }, signal ? { signal } : { timeoutMs: cancelTimeoutMs });
  }

  async function follow(task: TaskHandle | (Task & TaskHandle), options: FollowOptions = {}): Promise<Result> {
    const { taskId } = task;
    const { maxMs } = settings;
    const what = `a task of ${serverName}`;
    const deadline = new Deadline(what, { timeoutMs: maxMs, maxTotalMs: maxMs }, options.signal);
    const news = settings.listen ? listenForTask(subscriptions, taskId) : noNews;
    open.add(deadline);
    try {
      const end = await followTask(task, {
        ...{ serverName, handlers, settings, deadline, news },
        tell: createTeller(options, onWarning),
        get: (signal) => get(taskId, signal),
        update: (answers, signal) => update(taskId, answers, signal),
      });
      return toResult(end, what);
    } catch (error) {
      if (options.signal?.aborted) cancel(taskId).catch(ignore);
      throw error;
    } finally {
      open.delete(deadline);
      deadline.clear();
      news.close();
    }
  }

  return {
    follow,
    get,
    update,
    cancel,
    close() {
      const error = new TransportError("closed", "the client was closed");
      for (const deadline of open) deadline.abort(error);
    },
  };
}

function createTeller({ onTask }: FollowOptions, onWarning: (message: string) => void): (task: Task) => void {
  let last = "";
  return (task) => {
    const state = JSON.stringify([task.status, task.statusMessage, task.lastUpdatedAt]);
    if (!onTask || state === last) return;
    last = state;
    try {
      onTask(task);
    } catch (error) {
      onWarning(`a listener failed at a task: ${String(error)}`);
    }
  };
}

function toResult(task: DetailedTask, what: string): Result {
  if (task.status === "failed") throw new McpError(task.error.code, task.error.message, { data: task.error.data });
  if (task.status === "completed") return { resultType: "complete", ...task.result };
  throw new TransportError("cancelled", `${what} was cancelled`);
}

function ignore(): void {
  // Without this message, the task ends when its TTL expires.
}
