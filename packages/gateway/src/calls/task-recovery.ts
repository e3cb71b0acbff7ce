// Finds gateway-made tasks whose replica is gone: returns how they ended, runs their calls again here where the tool and the operator
// allow it, and otherwise fails them.
import {
  type Caller,
  type DetailedTask,
  isTerminal,
  type JsonObject,
  type McpError,
  type ModernRequest,
  metaKey,
  tasksExtension,
  toErrorObject,
} from "@lethe/protocol";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import { eraOf } from "../upstreams/sessions/era-choice.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import type { RepeatableCall, TaskRecord, TaskRecords } from "./task-records.ts";

/** A task whose replica is gone. */
export interface LostTask {
  /** The id at that replica. */
  readonly id: string;
  readonly upstream: string;
  readonly caller: Caller | undefined;
  isAlive(replica: string): Promise<boolean>;
}

/** `running`: the replica runs the task now, under `id` if it is this one. `unknown`: nothing is recorded about the task. */
export type Recovered =
  | { readonly kind: "running"; readonly replica: string; readonly id?: string }
  | { readonly kind: "ended"; readonly task: DetailedTask }
  | { readonly kind: "unknown" };

export interface TaskRecoveryOptions {
  readonly self: string;
  /** Default: nothing is recorded. */
  readonly records: TaskRecords | undefined;
  /** Starts a task with the call of a lost one, and returns its id here. `ttlMs`: the rest of its time. */
  runAgain(lost: LostTask, call: RepeatableCall, ttlMs: number | undefined): Promise<string>;
  stateOf(id: string): Promise<DetailedTask | undefined>;
}

/** The number of tasks that this replica has taken over and remembers. */
const maxTaken = 10_000;

export class TaskRecovery {
  readonly #options: TaskRecoveryOptions;
  /** The tasks that this replica has taken over, by their ids at the replica that is gone. */
  readonly #taken: Map<string, Promise<Recovered>> = new Map();

  constructor(options: TaskRecoveryOptions) {
    this.#options = options;
  }

  /** Rejects when the shared records are unreachable, and when the call cannot start again. */
  async recover(lost: LostTask): Promise<Recovered> {
    const { records, self } = this.#options;
    const taken = this.#taken.get(lost.id);
    if (taken !== undefined) return taken;
    const found = await records?.read(lost.id);
    if (!records || !found) return { kind: "unknown" };
    const { record, version } = found;
    const { task, replica, call } = record;
    if (isTerminal(task.status)) return { kind: "ended", task };
    if (replica !== self && (await lost.isAlive(replica))) return { kind: "running", replica };
    if (!call || replica === self) return { kind: "ended", task: toFailed(task, lost.upstream) };
    return (
      this.#taken.get(lost.id) ?? this.#remember(lost.id, this.#takeOver(lost, { record, version, call, records }))
    );
  }

  #remember(key: string, taking: Promise<Recovered>): Promise<Recovered> {
    const [oldest] = this.#taken.keys();
    if (oldest !== undefined && this.#taken.size >= maxTaken) this.#taken.delete(oldest);
    this.#taken.set(key, taking);
    const forget = () => void this.#taken.delete(key);
    taking.then((taken) => (taken.kind === "running" && taken.replica === this.#options.self) || forget(), forget);
    return taking;
  }

  async #takeOver(
    lost: LostTask,
    {
      record,
      version,
      call,
      records,
    }: { record: TaskRecord; version: number; call: RepeatableCall; records: TaskRecords },
  ): Promise<Recovered> {
    const { self, runAgain, stateOf } = this.#options;
    const { task } = record;
    const taken: TaskRecord = { replica: self, task, call };
    if (!(await records.takeOver(lost.id, taken, version))) {
      // Another replica was faster.
      const now = await records.read(lost.id);
      return now ? { kind: "running", replica: now.record.replica } : { kind: "unknown" };
    }
    const { createdAt, ttlMs } = task;
    const restMs = typeof ttlMs === "number" ? Math.max(1, Date.parse(createdAt) + ttlMs - Date.now()) : undefined;
    const id = await runAgain(lost, call, restMs);
    await records.begun(lost.id, { ...taken, id }, version + 1);
    // It may have ended meanwhile.
    const state = await stateOf(id);
    if (state) await records.ended(state);
    return { kind: "running", replica: self, id };
  }
}

/** The error of a task whose replica is gone and whose call was not run again. */
export function taskLost(upstream: string): McpError {
  const what = "has lost this task: the replica of the gateway that ran it is gone; the call may have been carried out";
  return upstreamError(upstream, "task_lost", what);
}

function toFailed({ taskId, createdAt, ttlMs }: DetailedTask, upstream: string): DetailedTask {
  const error = toErrorObject(taskLost(upstream));
  return { taskId, status: "failed", createdAt, lastUpdatedAt: new Date().toISOString(), ttlMs, error };
}

/** What a record keeps of a call that may run again. The repeated call is a plain one, also for a replica that it is forwarded to. */
export function toRepeatable({ target, request }: ForwardedCall): Pick<TaskRecord, "call"> {
  if (!target.isRepeatable) return {};
  const { sessions, ...kept } = target;
  const { id, method, params } = request;
  const { _meta } = params;
  const declared = _meta[metaKey.clientCapabilities];
  const { [tasksExtension]: _, ...extensions } = declared?.extensions ?? {};
  const plain = {
    ...params,
    _meta: { ...(_meta as JsonObject), [metaKey.clientCapabilities]: { ...declared, extensions } },
  };
  const era = eraOf(sessions);
  return { call: { request: { id, method, params: plain }, target: { ...kept }, ...(era && { era }) } };
}

/** The request of a recorded call. */
export function toRequest({ request }: RepeatableCall): ModernRequest {
  return request as unknown as ModernRequest;
}
