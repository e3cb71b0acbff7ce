// Runs the handlers of tasks: starts them on requests, resumes them when input arrives, and never runs one twice at a time.
import {
  type DetailedTask,
  type Exchange,
  type InputRequests,
  isInputRequired,
  isMcpError,
  type JsonObject,
  McpError,
  type ModernRequest,
  type Result,
  toErrorObject,
} from "@lethe/protocol";
import type { TaskPolicy } from "../features/task-policy.ts";
import { toBase64url } from "../seal/base64url.ts";
import type { StoredTask } from "./stored-task.ts";
import { isOwnEnd, type Outcome, outcomeOf, resultOf, toTaskEnd } from "./task-outcome.ts";
import { type SaveTask, TaskRun } from "./task-run.ts";
import type { TaskSettings } from "./task-settings.ts";
import {
  answered,
  asking,
  ended,
  isExpired,
  newTask,
  type TaskEnd,
  toCreateTaskResult,
  toDetailedTask,
} from "./task-state.ts";
import { createTaskWorker, type TaskWorker } from "./task-worker.ts";

/** A tool call that may become a task. */
export interface TaskCall {
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  readonly tool: string;
  readonly policy: TaskPolicy;
  /** The fingerprint of the handler; no other may replay its journal. */
  mark(): Promise<string>;
  /** Runs the handler. */
  execute(run: TaskRun): Promise<Result>;
}

export interface TaskRunnerOptions {
  readonly settings: TaskSettings;
  /** Called with every new state of a task, for subscribers. */
  publish(task: DetailedTask): void;
  /** Runs the handler of a stored task. */
  resume(run: TaskRun, task: StoredTask): Promise<Result>;
  /** The policy of the task's tool; undefined when this process does not have the tool. */
  policyOf(task: StoredTask): TaskPolicy | undefined;
  /** Called when a task could not be stored. */
  onError(error: unknown): void;
}

export interface TaskRunner {
  readonly settings: TaskSettings;
  /** Returns the result of the call, or a CreateTaskResult. Rejects with McpError. */
  call(call: TaskCall): Promise<Result>;
  /** Undefined for an unknown or expired task. */
  read(taskId: string): Promise<StoredTask | undefined>;
  /** Stores validated responses by key. The handler resumes with the last one. */
  answer(taskId: string, answers: JsonObject): Promise<void>;
  cancel(taskId: string): Promise<void>;
  /** With a durable store: starts to recover tasks of dead processes. */
  begin(): void;
  /** Stops the handlers. With a durable store another process continues their tasks. */
  close(): Promise<void>;
}

/** The pause before a handler that returned only a state runs again, in ms. */
const pauseMs = 250;

/**
 * Creates the runner that executes calls as tasks: it starts them, resumes them when their input arrives, and lets one process run a
 * task at a time.
 *
 * @example
 * import { createTaskRunner, createTaskSettings } from "@lethe/server/edge";
 *
 * const runner = createTaskRunner({
 *   settings: createTaskSettings(),
 *   publish: () => {},
 *   resume: async () => ({ resultType: "complete" }),
 *   policyOf: () => undefined,
 *   onError: console.error,
 * });
 * console.log(await runner.read("unknown")); // undefined
 * await runner.close();
 */
export function createTaskRunner(options: TaskRunnerOptions): TaskRunner {
  return new StoredTaskRunner(options);
}

class StoredTaskRunner implements TaskRunner {
  readonly settings: TaskSettings;
  readonly #options: TaskRunnerOptions;
  readonly #worker = randomId();
  readonly #taskWorker: TaskWorker;
  #isClosed = false;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.#taskWorker = createTaskWorker({
      settings: options.settings,
      worker: this.#worker,
      policyOf: options.policyOf,
      onError: options.onError,
      publishState: (task) => this.#publishState(task),
      resumeTask: (task) => this.#resumeTask(task),
    });
  }

  #publishState(task: StoredTask | undefined): void {
    if (task) this.#options.publish(toDetailedTask(task));
  }

  /** Only the worker of a task writes the outcome of its run. */
  async #updateOwned(
    taskId: string,
    change: (task: StoredTask) => StoredTask | undefined,
  ): Promise<StoredTask | undefined> {
    return this.settings.store.update(taskId, (task) => (this.#taskWorker.isOwned(task) ? change(task) : undefined));
  }

  #saverOf(taskId: string): SaveTask {
    return async (change, isNews) => {
      const saved = await this.#updateOwned(taskId, change);
      if (saved && isNews) this.#publishState(saved);
      if (saved) return;
      this.#taskWorker.runs.get(taskId)?.run.abort();
      throw new Error("the task has ended, or another process runs it");
    };
  }

  async #create(run: TaskRun, { tool, policy }: TaskCall, mark: string): Promise<StoredTask> {
    const taskId = randomId();
    const ttlMs = Math.min(policy.ttlMs ?? this.settings.ttlMs, this.settings.maxTtlMs);
    let task: StoredTask | undefined;
    await run.become(mark, async (work) => {
      await this.#taskWorker.renewLease();
      const { pollIntervalMs } = this.settings;
      const { message } = run;
      task = newTask({ taskId, tool, ttlMs, pollIntervalMs, work, worker: this.#worker, message, now: Date.now() });
      await this.settings.store.create(task, this.settings);
      return this.#saverOf(taskId);
    });
    // The caller disconnected while the task was created, so it would never be read.
    if (run.isAborted) await this.cancel(taskId);
    return task as unknown as StoredTask;
  }

  /** Undefined when the call ends on its request: in time, with an input request, or because the store is full. */
  async #createWhenLong(run: TaskRun, call: TaskCall, outcome: Promise<Outcome>): Promise<StoredTask | undefined> {
    if (!(await lastsLonger(outcome, call.policy.afterMs ?? this.settings.afterMs))) return undefined;
    const mark = await call.mark();
    if (!run.isOnRequest || run.isAborted || this.#isClosed) return undefined;
    try {
      return await this.#create(run, call, mark);
    } catch (error) {
      if (!isMcpError(error)) this.#options.onError(error);
      return undefined;
    }
  }

  #follow(taskId: string, run: TaskRun, outcome: Promise<Outcome>): void {
    const finished = outcome
      .then((ending) => this.#conclude(taskId, run, ending))
      .catch(this.#options.onError)
      .finally(() => {
        // Responses may have arrived already and started the next run.
        if (this.#taskWorker.runs.get(taskId)?.run === run) this.#taskWorker.runs.delete(taskId);
      });
    this.#taskWorker.runs.set(taskId, { run, finished });
  }

  async #conclude(taskId: string, run: TaskRun, outcome: Outcome): Promise<void> {
    if (this.#isClosed && !isOwnEnd(outcome)) return;
    const { result } = outcome;
    if (!result || !isInputRequired(result)) {
      const end = this.#endOf(outcome);
      this.#publishState(
        await this.#updateOwned(taskId, (task) => ended(task, end, { now: Date.now(), keepMs: this.settings.keepMs })),
      );
    } else await this.#suspend(taskId, run, result.inputRequests);
  }

  #endOf(outcome: Outcome): TaskEnd {
    try {
      return toTaskEnd(outcome, this.settings.maxResultBytes);
    } catch (error) {
      // A result that is not JSON.
      this.#options.onError(error);
      return { status: "failed", error: toErrorObject(McpError.from(error)) };
    }
  }

  async #suspend(taskId: string, run: TaskRun, inputRequests: InputRequests = {}): Promise<void> {
    const { suspended } = run;
    if (!suspended) throw new Error("a task was suspended without a journal");
    if (Object.keys(inputRequests).length > 0) {
      this.#publishState(await this.#updateOwned(taskId, (task) => asking(task, suspended, inputRequests, Date.now())));
      return;
    }
    const kept = await this.#updateOwned(
      taskId,
      (task) => task.work && { ...task, work: { ...task.work, journal: suspended, answers: {} } },
    );
    if (kept) setTimeout(() => void this.#resumeIfOwned(taskId).catch(this.#options.onError), pauseMs);
  }

  async #resumeIfOwned(taskId: string): Promise<void> {
    const task = await this.settings.store.read(taskId);
    if (task && this.#taskWorker.isOwned(task)) this.#resumeTask(task);
  }

  /** This worker owns the task now. */
  #resumeTask(task: StoredTask): void {
    const { taskId, work } = task;
    if (this.#isClosed || !work) return;
    const run = TaskRun.onTask(taskId, work, this.#saverOf(taskId), this.settings.maxJournalBytes);
    this.#follow(taskId, run, outcomeOf(this.#options.resume(run, task)));
  }

  async cancel(taskId: string): Promise<void> {
    const cancelled = { status: "cancelled" } as const;
    this.#publishState(
      await this.settings.store.update(taskId, (task) =>
        ended(task, cancelled, { now: Date.now(), keepMs: this.settings.keepMs }),
      ),
    );
    this.#taskWorker.runs.get(taskId)?.run.abort();
  }

  async call(call: TaskCall): Promise<Result> {
    const { exchange, request, policy } = call;
    const run = TaskRun.onRequest(exchange, { request, maxJournalBytes: this.settings.maxJournalBytes });
    let task: StoredTask | undefined;
    if (policy.mode === "always") task = await this.#create(run, call, await call.mark());
    const outcome = outcomeOf(call.execute(run));
    task ??= await this.#createWhenLong(run, call, outcome);
    if (!task) return resultOf(await outcome);
    this.#follow(task.taskId, run, outcome);
    return toCreateTaskResult(task);
  }

  async read(taskId: string): Promise<StoredTask | undefined> {
    const task = await this.settings.store.read(taskId);
    return task && !isExpired(task, Date.now()) ? task : undefined;
  }

  async answer(taskId: string, answers: JsonObject): Promise<void> {
    await this.#taskWorker.renewLease();
    const task = await this.settings.store.update(taskId, (current) =>
      answered(current, answers, { worker: this.#worker, now: Date.now() }),
    );
    this.#publishState(task);
    if (task?.status === "working") this.#resumeTask(task);
  }

  begin(): void {
    this.#taskWorker.begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#taskWorker.close();
  }
}

/** F-25: 192 bits. */
function randomId(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(24)));
}

function lastsLonger(outcome: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, true);
    void outcome.then(() => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
