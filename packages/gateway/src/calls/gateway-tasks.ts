// Tasks that the gateway makes of calls to upstreams without tasks (`tasks: "auto"`), with the task runner of @lethe/server. The
// call continues here. The task shows input requests of the upstream (elicitation, sampling, roots). Cancelling the task cancels
// the call.
import { readAnswers } from "@lethe/client";
import {
  type DetailedTask,
  type InputRequests,
  isTerminal,
  type ModernRequest,
  parseUpdateTaskParams,
  type TaskStatus,
  taskAugmentationOf,
} from "@lethe/protocol";
import { createTaskRunner, createTaskSettings, type TaskRun, toDetailedTask } from "@lethe/server/edge";
import { createMemoryTaskStore, type StoredTask, type TasksOptions } from "@lethe/server/stores";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import type { CallForwarder } from "./call-forwarder.ts";
import type { CallTasks, ForwardedCall, UpstreamTarget } from "./forwarded-call.ts";
import type { RequestState } from "./request-state.ts";
import { TaskExchange } from "./task-exchange.ts";
import { mintProgressToken } from "./upstream-exchange.ts";

export interface TaskBounds extends Pick<TasksOptions, "afterMs" | "ttlMs" | "maxTasks" | "maxTasksPerCaller"> {}

export interface GatewayTasksOptions {
  readonly bounds: TaskBounds;
  /** The forwarder of any endpoint; called when a task resumes its call. */
  forwarder(): CallForwarder;
  sessionsOf(upstream: string): UpstreamSessions | undefined;
  onProblem?(problem: string): void;
}

/** A task that has not ended, as operators see it. */
export interface LiveTask {
  /** The id in this process, which callers cannot use. */
  readonly id: string;
  readonly upstream: string;
  /** The upstream's own name of the tool. */
  readonly tool: string;
  readonly callerId: string | undefined;
  readonly status: TaskStatus;
  /** ms since 1970 */
  readonly createdAt: number;
  /** ms since 1970 */
  readonly expiresAt: number;
}

/** Uses ids of this process. Callers only see sealed ids. */
export interface GatewayTasks {
  /** Returns the result of the call, or the task that it became. */
  readonly run: CallTasks["run"];
  /** Undefined for an unknown or expired task. */
  read(id: string): Promise<DetailedTask | undefined>;
  /** Throws McpError -32602 for an answer that does not fit its input request. */
  update(id: string, request: ModernRequest): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Calls `onState` with each new state. Returns a function that stops it. */
  follow(id: string, onState: (task: DetailedTask) => void): () => void;
  /** The tasks that have not ended, the oldest first. */
  readonly live: readonly LiveTask[];
  /** Cancels running tasks. */
  close(): Promise<void>;
}

/** What a task stores while its call is pending, in the place of a handler's state. */
interface KeptCall {
  readonly state: RequestState;
  readonly target: Omit<UpstreamTarget, "sessions">;
}

export function createGatewayTasks({ forwarder, sessionsOf, onProblem, bounds }: GatewayTasksOptions): GatewayTasks {
  const followers = new Map<string, Set<(task: DetailedTask) => void>>();
  const store = createMemoryTaskStore();
  const runner = createTaskRunner({
    settings: createTaskSettings({ ...bounds, store }),
    publish(task) {
      for (const tell of followers.get(task.taskId) ?? []) tell(task);
    },
    async resume(run, task) {
      const { state, target } = keptIn(task);
      return forwarder().resume(toTaskCall(run, run.request, targetOf(state, target)), state);
    },
    // Tasks live in memory: no other process claims them.
    policyOf: () => undefined,
    onError: (error) => onProblem?.(`a task went wrong: ${(error as Error).message}`),
  });

  function targetOf({ upstream }: RequestState, target: KeptCall["target"]): UpstreamTarget {
    const sessions = sessionsOf(upstream);
    if (!sessions) throw upstreamError(upstream, "call_gone", "is not served any more");
    return { ...target, sessions };
  }

  return {
    async run(call, session, attempt) {
      const { target, request, exchange } = call;
      const wish = taskAugmentationOf(request);
      return runner.call({
        ...{ request, exchange, tool: toToolKey(target) },
        policy: wish ? { mode: "always", ...(wish.ttlMs !== undefined && { ttlMs: wish.ttlMs }) } : { mode: "auto" },
        mark: async () => mark,
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
    },
    async read(id) {
      const task = await runner.read(id);
      return task && toDetailedTask(task);
    },
    async update(id, request) {
      const task = await runner.read(id);
      if (!task) return;
      const { inputResponses } = parseUpdateTaskParams(request.params);
      await runner.answer(id, readAnswers(inputRequestsOf(task), inputResponses));
    },
    async cancel(id) {
      const task = await runner.read(id);
      await runner.cancel(id);
      if (task?.status === "input_required") forwarder().abandon(keptIn(task).state, "the task was cancelled");
    },
    follow(id, onState) {
      const own = followers.get(id) ?? new Set();
      followers.set(id, own.add(onState));
      return () => {
        own.delete(onState);
        if (own.size === 0) followers.delete(id);
      };
    },
    get live() {
      const now = Date.now();
      return [...store.tasks].map(toLiveTask).filter((task) => !isTerminal(task.status) && task.expiresAt > now);
    },
    async close() {
      await runner.close();
      await store.close();
    },
  };
}

function inputRequestsOf({ inputRequests = {} }: StoredTask): InputRequests {
  return Object.fromEntries(Object.entries(inputRequests).map(([key, { request }]) => [key, request]));
}

/** The key of the tool in the runner. */
function toToolKey({ sessions, params }: UpstreamTarget): string {
  return JSON.stringify([sessions.name, String(params?.name)]);
}

function toLiveTask({ taskId: id, tool: key, owner, status, createdAt, ttlMs }: StoredTask): LiveTask {
  const [upstream, tool] = JSON.parse(key) as [string, string];
  return { id, upstream, tool, callerId: owner, status, createdAt, expiresAt: createdAt + ttlMs };
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

function keptIn({ taskId, work }: Pick<StoredTask, "taskId" | "work">): KeptCall {
  const kept = work?.journal.state;
  if (!kept) throw new Error(`task ${taskId} has no call to continue`);
  return kept as unknown as KeptCall;
}
