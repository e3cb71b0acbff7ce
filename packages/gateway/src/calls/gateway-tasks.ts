// Tasks that the gateway makes of calls to upstreams without tasks (`tasks: "auto"`), with the task runner of @lethe/server. The
// call continues here. The task shows input requests of the upstream (elicitation, sampling, roots). Cancelling the task cancels
// the call.
import { readAnswers } from "@lethe/client/edge";
import {
  type CreateTaskResult,
  type DetailedTask,
  isTaskResult,
  isTerminal,
  type JsonObject,
  type ModernRequest,
  parseUpdateTaskParams,
  taskAugmentationOf,
} from "@lethe/protocol";
import {
  createTaskRunner,
  createTaskSettings,
  type TaskRun,
  type TaskRunner,
  toDetailedTask,
} from "@lethe/server/edge";
import { createMemoryTaskStore, type StoredTask, type TasksOptions } from "@lethe/server/stores";
import { createOwnExchange } from "../upstreams/connection/own-request.ts";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { SharedRecords } from "../upstreams/directory/shared-state.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { CallForwarder } from "./call-forwarder.ts";
import type { CallTasks, ForwardedCall, UpstreamTarget } from "./forwarded-call.ts";
import { inputRequestsOf, type LiveTask, toLiveTask } from "./live-task.ts";
import type { RequestState } from "./request-state.ts";
import { TaskExchange } from "./task-exchange.ts";
import { type RepeatableCall, TaskRecords } from "./task-records.ts";
import { type LostTask, type Recovered, TaskRecovery, toRepeatable, toRequest } from "./task-recovery.ts";
import { TaskTimelines, type Timeline } from "./task-timelines.ts";
import { mintProgressToken } from "./upstream-exchange.ts";

export interface TaskBounds extends Pick<TasksOptions, "afterMs" | "ttlMs" | "maxTasks" | "maxTasksPerCaller"> {}

export interface GatewayTasksOptions {
  readonly bounds: TaskBounds;
  /** The id of this replica. */
  readonly self: string;
  /** The records of all replicas. Default: a task ends with its replica. */
  readonly records?: SharedRecords | undefined;
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  onProblem?(problem: string): void;
}

/** Uses ids of this process. Callers only see sealed ids. */
export interface GatewayTasks {
  /** Sets the forwarder through which tasks resume their calls. Call it once, before the first task. */
  resumeThrough(forwarder: CallForwarder): void;
  /** Returns the result of the call, or the task that it became. */
  readonly run: CallTasks["run"];
  /**
   * Finds a task whose replica is gone, and runs its call again here where that is allowed. Rejects with an Error when the
   * shared records are unreachable.
   */
  recover(lost: LostTask): Promise<Recovered>;
  /** Undefined for an unknown or expired task. */
  read(id: string): Promise<DetailedTask | undefined>;
  /** Throws McpError -32602 for an answer that does not fit its input request. */
  update(id: string, request: ModernRequest): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Calls `onState` with each new state. Returns a function that stops it. */
  follow(id: string, onState: (task: DetailedTask) => void): () => void;
  /** The tasks that have not ended, the oldest first. */
  readonly live: readonly LiveTask[];
  /** Tasks that have ended and are still kept, the newest first. */
  readonly ended: readonly LiveTask[];
  /** What happened to a task. */
  timelineOf(id: string): Timeline;
  /** Answers in the place of the caller. Rejects with McpError -32602 for an answer that does not fit its input request. */
  answer(id: string, responses: JsonObject): Promise<void>;
  /** Cancels running tasks. */
  close(): Promise<void>;
}

/** What a task stores while its call is pending, in the place of a handler's state. */
interface KeptCall {
  readonly state: RequestState;
  readonly target: Omit<UpstreamTarget, "sessions">;
}

export function createGatewayTasks(options: GatewayTasksOptions): GatewayTasks {
  return new OwnTasks(options);
}

class OwnTasks implements GatewayTasks {
  readonly #options: GatewayTasksOptions;
  readonly #followers: Map<string, Set<(task: DetailedTask) => void>> = new Map();
  readonly #store: ReturnType<typeof createMemoryTaskStore> = createMemoryTaskStore();
  readonly #records: TaskRecords | undefined;
  readonly #recovery: TaskRecovery;
  readonly #timelines: TaskTimelines = new TaskTimelines();
  readonly #runner: TaskRunner;
  /** Set later, because a forwarder needs the tasks that its calls may become. */
  #forwarder: CallForwarder | undefined;

  constructor(options: GatewayTasksOptions) {
    const { bounds, self, records, onProblem } = options;
    this.#options = options;
    this.#records = records && new TaskRecords(records);
    this.#recovery = new TaskRecovery({
      ...{ self, records: this.#records },
      runAgain: (lost, call, ttlMs) => this.#runAgain(lost, call, ttlMs),
      stateOf: (id) => this.read(id),
    });
    this.#runner = createTaskRunner({
      // Each task is a call that runs already. The limits of its upstream bound how many run.
      settings: createTaskSettings({ ...bounds, store: this.#store, concurrency: Number.MAX_SAFE_INTEGER }),
      publish: (task) => this.#publish(task),
      resume: async (run, task) => {
        const { state, target } = keptIn(task);
        const again = { ...target, sessions: this.#sessionsOf(state.upstream) };
        return this.#requireForwarder().resume(toTaskCall(run, run.request, again), state);
      },
      policyOf: () => ({ mode: "always" }),
      onError: (error) => onProblem?.(`a task went wrong: ${(error as Error).message}`),
    });
  }

  resumeThrough(forwarder: CallForwarder): void {
    this.#forwarder = forwarder;
  }

  readonly run: CallTasks["run"] = async (call, session, attempt) => {
    const { target, request, exchange } = call;
    const wish = taskAugmentationOf(request);
    const result = await this.#runner.call({
      ...{ request, exchange, tool: toToolKey(target) },
      policy: wish ? { mode: "always", ...(wish.ttlMs !== undefined && { ttlMs: wish.ttlMs }) } : { mode: "auto" },
      mark: async () => mark,
      version: undefined,
      async execute(run) {
        const { sessions } = target;
        sessions.enter(session);
        try {
          return await attempt(toTaskCall(run, request, target));
        } finally {
          sessions.leave(session);
        }
      },
    });
    if (this.#records && isTaskResult(result)) await this.#record(this.#records, result.taskId, call);
    return result;
  };

  recover(lost: LostTask): Promise<Recovered> {
    return this.#recovery.recover(lost);
  }

  async read(id: string): Promise<DetailedTask | undefined> {
    const task = await this.#runner.read(id);
    return task && toDetailedTask(task);
  }

  async update(id: string, request: ModernRequest): Promise<void> {
    const { inputResponses } = parseUpdateTaskParams(request.params);
    await this.answer(id, inputResponses);
  }

  async answer(id: string, responses: JsonObject): Promise<void> {
    const task = await this.#runner.read(id);
    if (task) await this.#runner.answer(id, readAnswers(inputRequestsOf(task), responses));
  }

  async cancel(id: string): Promise<void> {
    const task = await this.#runner.read(id);
    await this.#runner.cancel(id);
    if (task?.status === "input_required") {
      this.#requireForwarder().abandon(keptIn(task).state, "the task was cancelled");
    }
  }

  follow(id: string, onState: (task: DetailedTask) => void): () => void {
    const own = this.#followers.get(id) ?? new Set();
    this.#followers.set(id, own.add(onState));
    return () => {
      own.delete(onState);
      if (own.size === 0) this.#followers.delete(id);
    };
  }

  get live(): readonly LiveTask[] {
    return this.#kept.filter(({ status }) => !isTerminal(status));
  }

  get ended(): readonly LiveTask[] {
    return this.#kept.filter(({ status }) => isTerminal(status)).reverse();
  }

  timelineOf(id: string): Timeline {
    return this.#timelines.of(id);
  }

  get #kept(): LiveTask[] {
    const now = Date.now();
    return [...this.#store.tasks].map(toLiveTask).filter(({ expiresAt }) => expiresAt > now);
  }

  async close(): Promise<void> {
    this.#records?.close();
    await this.#runner.close();
    await this.#store.close();
  }

  #publish(task: DetailedTask): void {
    this.#timelines.add(task);
    for (const tell of this.#followers.get(task.taskId) ?? []) tell(task);
    void this.#records?.ended(task);
  }

  /** The caller gets the id of the task after this, so that every replica knows the task. */
  async #record(records: TaskRecords, id: string, call: ForwardedCall): Promise<void> {
    const task = await this.read(id);
    if (!task) return;
    await records.add(id, { replica: this.#options.self, id, task, ...toRepeatable(call) });
    // It may have ended meanwhile.
    const now = await this.read(id);
    if (now) await records.ended(now);
  }

  /** Rejects with McpError if the upstream is not served any more, or takes no more tasks. */
  async #runAgain({ upstream, caller }: LostTask, call: RepeatableCall, ttlMs: number | undefined): Promise<string> {
    const request = toRequest(call);
    const target = { ...call.target, sessions: this.#sessionsOf(upstream) } as UpstreamTarget;
    const state: RequestState = { upstream, ...(call.era && { era: call.era }) };
    const created = await this.#runner.call({
      ...{ request, exchange: createOwnExchange({ signal: new AbortController().signal, caller }) },
      tool: toToolKey(target),
      policy: { mode: "always", ...(ttlMs !== undefined && { ttlMs }) },
      mark: async () => mark,
      version: undefined,
      execute: (run) => this.#requireForwarder().resume(toTaskCall(run, request, target), state),
    });
    return (created as CreateTaskResult).taskId;
  }

  #requireForwarder(): CallForwarder {
    if (!this.#forwarder) throw new Error("resumeThrough was not called");
    return this.#forwarder;
  }

  #sessionsOf(upstream: string): UpstreamSessions {
    const sessions = this.#options.sessionsOf(upstream);
    if (!sessions) throw upstreamError(upstream, "call_gone", "is not served any more");
    return sessions;
  }
}

/** The key of the tool in the runner. */
function toToolKey({ sessions, params }: UpstreamTarget): string {
  return JSON.stringify([sessions.name, String(params?.name)]);
}

/** The handler version of the journal; there is only one. */
const mark = "call";

/** Always asks the upstream for progress, which becomes the status message of the task. */
function toTaskCall(run: TaskRun, request: ModernRequest, target: UpstreamTarget): ForwardedCall {
  const { params } = request;
  const wantsProgress = params._meta.progressToken !== undefined;
  const _meta = wantsProgress ? params._meta : { ...params._meta, progressToken: mintProgressToken() };
  const { sessions: _, ...kept } = target;
  return {
    target,
    request: { ...request, params: { ...params, _meta } },
    exchange: new TaskExchange(run, wantsProgress),
    task: {
      async keep(state) {
        await run.save(toJournal({ state, target: kept }));
        return run.suspended !== undefined;
      },
    },
  };
}

function toJournal(kept: KeptCall) {
  return { v: 1, mark, round: 0, entries: [], asked: [], state: { ...kept } } as const;
}

function keptIn({ taskId, rounds }: Pick<StoredTask, "taskId" | "rounds">): KeptCall {
  const kept = rounds?.journal.state;
  if (!kept) throw new Error(`task ${taskId} has no call to continue`);
  return kept as unknown as KeptCall;
}
