// Runs the handlers of tasks: starts them on requests, resumes them when input arrives, and never runs one twice at a time.

import { checkOptions, isMcpError, type JsonObject, type Result } from "@lethe/protocol";
import { type Clock, systemClock } from "../clock/clock.ts";
import { defaultQueue, type TaskPolicy } from "../features/task-policy.ts";
import type { JournalStamp } from "../interaction/journal.ts";
import { toBase64url } from "../seal/base64url.ts";
import { type CallbackOutcome, findBodyProblem, whyNotOpen } from "./callback-outcome.ts";
import { type ConclusionHost, concludeRun } from "./conclude-run.ts";
import type { HeldRun } from "./held-run.ts";
import type { StoredTask, TaskContent } from "./stored-task.ts";
import { noTaskMeter, type TaskMeter } from "./task-meter.ts";
import { type Outcome, outcomeOf, resultOf } from "./task-outcome.ts";
import { TaskRun } from "./task-run.ts";
import { knownTaskRunnerOptions, type TaskCall, type TaskRunnerOptions } from "./task-runner-options.ts";
import type { TaskSettings } from "./task-settings.ts";
import { answered, called, ended, handedBack, newTask, toCreateTaskResult, toDetailedTask } from "./task-state.ts";
import type { AcquiredTask, NewTask } from "./task-store.ts";
import { TaskWorker } from "./task-worker.ts";

/** Runs tool calls as tasks, and continues stored tasks. Created by `createTaskRunner`. */
export interface TaskRunner {
  readonly settings: TaskSettings;
  /** Returns the result of the call, or a CreateTaskResult. Rejects with McpError. */
  call(call: TaskCall): Promise<Result>;
  /** Undefined for an unknown or expired task. */
  read(taskId: string): Promise<StoredTask | undefined>;
  /** Stores validated responses by key. The handler resumes with the last one. */
  answer(taskId: string, answers: JsonObject): Promise<void>;
  cancel(taskId: string): Promise<void>;
  /** Completes a callback of a handler. Rejects with a retryable McpError while the store is unavailable. */
  complete(taskId: string, key: string, body: unknown): Promise<CallbackOutcome>;
  /** With a durable store: starts to recover tasks of dead processes. */
  begin(): void;
  /** Stops the handlers. With a durable store another process continues their tasks. */
  close(): Promise<void>;
}

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
  checkOptions("createTaskRunner", options, knownTaskRunnerOptions);
  return new StoredTaskRunner(options);
}

class StoredTaskRunner implements TaskRunner, ConclusionHost {
  readonly settings: TaskSettings;
  readonly #options: TaskRunnerOptions;
  readonly #clock: Clock;
  readonly meter: TaskMeter;
  readonly #worker: TaskWorker;
  #isClosed = false;

  constructor(options: TaskRunnerOptions) {
    this.#options = options;
    this.settings = options.settings;
    this.#clock = options.clock ?? systemClock;
    this.meter = options.settings.meter ?? noTaskMeter;
    let worker = options.worker;
    this.#worker = new TaskWorker({
      // Made on first use: some platforms have no random values while they load modules.
      get worker() {
        worker ??= randomId();
        return worker;
      },
      settings: options.settings,
      clock: this.#clock,
      meter: this.meter,
      lanes: () => this.#lanes(),
      policyOf: options.policyOf,
      onError: options.onError,
      publishState: (task) => this.#publishState(task),
      resume: (acquired, held) => this.#resume(acquired, held),
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onError(error: unknown): void {
    this.#options.onError(error);
  }

  #publishState(task: StoredTask | undefined): void {
    if (task) this.#options.publish(toDetailedTask(task));
  }

  #lanes(): string[] {
    const lanes: string[] = [];
    for (const [tool, policy] of this.#options.tools?.() ?? []) {
      if (policy.mode !== "never" && this.#serves(policy)) lanes.push(laneOf(tool, policy));
    }
    return lanes;
  }

  #serves({ queue = defaultQueue }: TaskPolicy): boolean {
    return this.settings.queues === undefined || this.settings.queues.includes(queue);
  }

  #toNewTask(run: TaskRun, { tool, policy }: TaskCall, { rounds }: TaskContent): NewTask {
    const { ttlMs, maxTtlMs, pollIntervalMs } = this.settings;
    return newTask({
      ...{ taskId: randomId(), owner: run.caller?.id, tool, rounds, pollIntervalMs, message: run.message },
      lane: laneOf(tool, policy),
      priority: policy.priority ?? 0,
      ttlMs: Math.min(policy.ttlMs ?? ttlMs, maxTtlMs),
    });
  }

  /** The task of a handler that runs here. */
  async #create(run: TaskRun, call: TaskCall, stamp: JournalStamp): Promise<{ task: StoredTask; held: HeldRun }> {
    let created: { task: StoredTask; held: HeldRun } | undefined;
    await run.become(stamp, async (content) => {
      const { task, claimedAt } = await this.#worker.create(this.#toNewTask(run, call, content), content);
      const { taskId, fence, ttlMs } = task;
      const held = this.#worker.hold({ taskId, fence, claimedAt, expiresInMs: ttlMs, isSuspect: false, deaths: 0 });
      held.follow(run, held.finished);
      created = { task, held };
      return held;
    });
    const { task, held } = created as unknown as { task: StoredTask; held: HeldRun };
    // The caller disconnected while the task was created, so it would never be read.
    if (run.isAborted) await this.cancel(task.taskId);
    return { task, held };
  }

  /** The task waits in its lane: this process has no room, or does not serve the queue. */
  async #enqueue(run: TaskRun, call: TaskCall): Promise<StoredTask> {
    const content = run.toContent(await stampOf(call));
    const { task: created } = await this.#worker.create(this.#toNewTask(run, call, content), content);
    const { taskId, fence } = created;
    const task = await this.settings.store.update(taskId, (current) => handedBack(current), fence);
    if (run.isAborted) await this.cancel(taskId);
    this.#worker.lookSoon();
    return task ?? created;
  }

  /** Undefined when the call ends on its request: in time, with an input request, or because the store is full. */
  async #createWhenLong(run: TaskRun, call: TaskCall, outcome: Promise<Outcome>) {
    if (!(await lastsLonger(this.#clock, outcome, call.policy.afterMs ?? this.settings.afterMs))) return undefined;
    const stamp = await stampOf(call);
    if (!run.isOnRequest || run.isAborted || this.#isClosed) {
      run.stayOnRequest(new Error("the server is closing"));
      return undefined;
    }
    try {
      return await this.#create(run, call, stamp);
    } catch (error) {
      if (!isMcpError(error)) this.#options.onError(error);
      run.stayOnRequest(error);
      return undefined;
    }
  }

  #follow(held: HeldRun, run: TaskRun, { outcome, policy }: { outcome: Promise<Outcome>; policy: TaskPolicy }): void {
    const finished = outcome
      .then((ending) => concludeRun(this, held, { run, ending, policy }))
      .catch(this.#options.onError)
      .finally(() => this.#worker.release(held));
    held.follow(run, finished);
  }

  claimAfter(taskId: string, delayMs: number): void {
    this.#clock.after(delayMs, () => {
      if (!this.#isClosed) void this.#worker.claim(taskId).catch(this.#options.onError);
    });
  }

  #resume(acquired: AcquiredTask, held: HeldRun): void {
    const { task, work } = acquired;
    const { toCallbackUrl } = this.#options;
    const run = TaskRun.onTask(acquired, held, { settings: this.settings, clock: this.#clock, toCallbackUrl });
    const policy = this.#options.policyOf(task, work) ?? { mode: "always" };
    this.#follow(held, run, { outcome: outcomeOf(this.#options.resume(run, task)), policy });
  }

  async cancel(taskId: string): Promise<void> {
    const cancelled = { status: "cancelled" } as const;
    this.#publishState(
      await this.settings.store.update(taskId, (task, now) =>
        ended(task, cancelled, { now, keepMs: this.settings.keepMs }),
      ),
    );
    this.#worker.lose(taskId);
  }

  async call(call: TaskCall): Promise<Result> {
    const { exchange, request, policy } = call;
    const { toCallbackUrl } = this.#options;
    const run = TaskRun.onRequest(exchange, { request, settings: this.settings, clock: this.#clock, toCallbackUrl });
    if (policy.mode === "always") {
      if (!this.#worker.hasRoom || !this.#serves(policy)) return toCreateTaskResult(await this.#enqueue(run, call));
      const { task, held } = await this.#create(run, call, await stampOf(call));
      this.#follow(held, run, { outcome: outcomeOf(call.execute(run)), policy });
      return toCreateTaskResult(task);
    }
    const outcome = outcomeOf(call.execute(run));
    const created = await this.#createWhenLong(run, call, outcome);
    if (!created) return resultOf(await outcome);
    this.#follow(created.held, run, { outcome, policy });
    return toCreateTaskResult(created.task);
  }

  read(taskId: string): Promise<StoredTask | undefined> {
    return this.settings.store.read(taskId);
  }

  async answer(taskId: string, answers: JsonObject): Promise<void> {
    const task = await this.settings.store.update(taskId, (current, now) => answered(current, answers, now));
    this.#publishState(task);
    // If this process cannot acquire it now, the task waits for any process.
    if (task?.status === "working") await this.#worker.claim(taskId).catch(this.#options.onError);
  }

  async complete(taskId: string, key: string, body: unknown): Promise<CallbackOutcome> {
    const { store } = this.settings;
    const problem = await findBodyProblem(await store.read(taskId), key, body);
    if (problem !== undefined) return { problem };
    const task = await store.update(taskId, (current) => called(current, key, body));
    if (!task) return whyNotOpen(await store.read(taskId), key);
    // If this process cannot acquire it now, any process will.
    if (task.worker === undefined) await this.#worker.claim(taskId).catch(this.#options.onError);
    return "completed";
  }

  begin(): void {
    this.#worker.begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.close();
  }
}

async function stampOf(call: TaskCall): Promise<JournalStamp> {
  return { mark: await call.mark(), version: call.version };
}

/** A worker acquires tasks of the tools that it has, in the queues that it serves. */
function laneOf(tool: string, { queue = defaultQueue }: TaskPolicy): string {
  return `${queue}/${tool}`;
}

/** F-25: 192 bits. */
function randomId(): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(24)));
}

function lastsLonger(clock: Clock, outcome: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(true));
    void outcome.then(() => {
      cancel();
      resolve(false);
    });
  });
}
