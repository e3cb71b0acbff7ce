// The input requests (elicitation, sampling, roots) of tasks at a server of revision 2025-11-25. Each request names its task. Most
// servers send it only while a `tasks/result` waits.
import {
  type ClientCapabilities,
  clientCapabilitiesOf,
  type Exchange,
  type InputRequest,
  type InputRequests,
  invalidParams,
  isJsonObject,
  type JsonObject,
  type JsonRpcRequest,
  type ModernRequest,
  type RequestId,
  type Root,
} from "@lethe/protocol";
import { legacyMethod, type Revision, relatedTaskKey } from "@lethe/protocol/revisions";
import { type BackgroundTimer, startBackgroundTimer } from "../call/background-timer.ts";
import { readAnswers } from "../call/read-answers.ts";
import type { Requester } from "../call/requester.ts";
import { SparseMap } from "../call/sparse-collections.ts";
import { type ReadInputRequest, readInputRequest, rejection } from "./read-input-request.ts";

export interface TaskInputRequestOptions {
  readonly requester: Pick<Requester, "mint" | "request" | "cancel" | "respond" | "refuse">;
  readonly revision: Revision;
  /** Answers every `roots/list` at once. */
  readonly roots?: readonly Root[] | undefined;
  /** How many tasks are known at a time. The least recently read task is dropped first. Default 1,000. */
  readonly maxTasks?: number;
  /** How long an input request waits until its task is read, in milliseconds. Default 600,000 (10 minutes). */
  readonly ttlMs?: number;
  /** How long a reader waits for an input request that the server announced, in milliseconds. Default 1,000. */
  readonly askMs?: number;
}

interface AskingTask {
  readonly taskId: string;
  readonly callerId: string | undefined;
  /** The client capabilities of the latest reader. */
  capabilities: ClientCapabilities;
  readonly open: Map<string, { readonly id: RequestId; readonly input: InputRequest }>;
  /** How many input requests the task has sent; numbers their keys. */
  inputRequestCount: number;
  /** The id of the open `tasks/result`. */
  waitId: number | undefined;
  timer: BackgroundTimer | undefined;
  /** Readers that wait for the next input request. */
  readonly readers: Set<() => void>;
}

/** How many input requests of one task may be open. */
const maxInputRequests = 100;

export class TaskInputRequests {
  readonly #options: TaskInputRequestOptions;
  /** The least recently read task first. */
  readonly #tasks: SparseMap<string, AskingTask> = new SparseMap();
  /** The open input requests by the id that the server chose. */
  readonly #open: SparseMap<RequestId, { readonly task: AskingTask; readonly key: string }> = new SparseMap();
  /** The tasks whose `tasks/result` is open, by its id. */
  readonly #waiting: SparseMap<RequestId, AskingTask> = new SparseMap();

  constructor(options: TaskInputRequestOptions) {
    this.#options = options;
  }

  /** Throws -32602 for a task of another caller, the same error as for an unknown task. */
  requireCaller(taskId: string, { caller }: Exchange): void {
    const known = this.#tasks.get(taskId);
    if (known && known.callerId !== caller?.id) throw invalidParams("unknown task");
  }

  /** From now on this caller answers the input requests of the task. */
  listenFor(taskId: string, request: ModernRequest, exchange: Exchange): void {
    this.requireCaller(taskId, exchange);
    const { maxTasks = 1_000 } = this.#options;
    const capabilities = clientCapabilitiesOf(request);
    const task = this.#tasks.get(taskId) ?? createAskingTask(taskId, exchange.caller?.id, capabilities);
    task.capabilities = capabilities;
    this.#tasks.delete(taskId);
    this.#tasks.set(taskId, task);
    if (task.timer) this.#startTimer(task);
    const oldest = this.#tasks.size > maxTasks ? firstOf(this.#tasks.values()) : undefined;
    if (!oldest) return;
    this.#end(oldest, "too many tasks");
    this.#tasks.delete(oldest.taskId);
  }

  /**
   * The open input requests, under keys that are never used again. When `isAsking`, waits up to `askMs` for the first one.
   * Undefined when there is none.
   */
  async read(taskId: string, isAsking: boolean): Promise<InputRequests | undefined> {
    const task = this.#tasks.get(taskId);
    if (!task) return undefined;
    if (isAsking && task.waitId === undefined) this.#waitForResult(task);
    if (isAsking && task.open.size === 0) await this.#nextInputRequest(task);
    return task.open.size === 0 ? undefined : inputRequestsOf(task);
  }

  /** Returns false when the task asks nothing. Throws -32602 for an answer that does not fit its input request. */
  answer(taskId: string, responses: JsonObject): boolean {
    const task = this.#tasks.get(taskId);
    if (!task || task.open.size === 0) return false;
    for (const [key, answer] of Object.entries(readAnswers(inputRequestsOf(task), responses))) {
      const request = task.open.get(key);
      if (!request) continue;
      this.#remove(task, key);
      this.#options.requester.respond(request.id, answer as JsonObject);
    }
    return true;
  }

  /** Takes a request of the server if it belongs to a task, and returns whether it does. */
  receiveInputRequest(message: JsonRpcRequest, origin?: RequestId): boolean {
    const task = this.#taskOf(message, origin);
    if (!task) return false;
    const { requester, roots } = this.#options;
    if (message.method === "roots/list" && roots) requester.respond(message.id, { roots: [...roots] });
    else this.#ask(task, message);
    return true;
  }

  /** The server has cancelled its request. */
  withdraw(id: RequestId): void {
    const known = this.#open.get(id);
    if (known) this.#remove(known.task, known.key);
  }

  /** Rejects the open input requests of the task. Remembers its caller. */
  close(taskId: string, reason: string): void {
    const task = this.#tasks.get(taskId);
    if (task) this.#end(task, reason);
  }

  /** Forgets all tasks without telling the server. */
  closeAll(): void {
    for (const task of this.#tasks.values()) this.#forget(task);
    this.#tasks.clear();
    this.#waiting.clear();
  }

  /** A caller may never read its task again. */
  #startTimer(task: AskingTask): void {
    const { ttlMs = 600_000 } = this.#options;
    clearTimeout(task.timer);
    task.timer = startBackgroundTimer(() => this.#end(task, "no request has asked for the task"), ttlMs);
  }

  #waitForResult(task: AskingTask): void {
    const { requester } = this.#options;
    const id = requester.mint();
    task.waitId = id;
    this.#waiting.set(id, task);
    this.#startTimer(task);
    const onEnd = () => {
      this.#waiting.delete(id);
      if (task.waitId === id) task.waitId = undefined;
      wakeReaders(task);
    };
    // The result is read again once the state of the task shows that it exists.
    requester.request(id, legacyMethod.getTaskResult, { taskId: task.taskId }).then(onEnd, onEnd);
  }

  #nextInputRequest(task: AskingTask): Promise<void> {
    const { askMs = 1_000 } = this.#options;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        task.readers.delete(done);
        resolve();
      };
      const timer = startBackgroundTimer(done, askMs);
      task.readers.add(done);
    });
  }

  #taskOf({ params }: JsonRpcRequest, origin: RequestId | undefined): AskingTask | undefined {
    const related = isJsonObject(params?._meta) ? params._meta[relatedTaskKey] : undefined;
    if (isJsonObject(related)) return typeof related.taskId === "string" ? this.#tasks.get(related.taskId) : undefined;
    return origin === undefined ? undefined : this.#waiting.get(origin);
  }

  #ask(task: AskingTask, message: JsonRpcRequest): void {
    const { requester, revision } = this.#options;
    const read: ReadInputRequest =
      task.open.size < maxInputRequests
        ? readInputRequest(message, revision, task.capabilities)
        : { refused: rejection("too many open input requests") };
    if (read.refused) {
      requester.refuse(message.id, read.refused);
      return;
    }
    task.inputRequestCount += 1;
    const key = `q${task.inputRequestCount}`;
    task.open.set(key, { id: message.id, input: read.input });
    this.#open.set(message.id, { task, key });
    this.#startTimer(task);
    wakeReaders(task);
  }

  #remove(task: AskingTask, key: string): void {
    const request = task.open.get(key);
    if (!request) return;
    task.open.delete(key);
    const known = this.#open.get(request.id);
    // A server that repeats an id means the later request.
    if (known?.task === task && known.key === key) this.#open.delete(request.id);
  }

  #end(task: AskingTask, reason: string): void {
    const { requester } = this.#options;
    for (const { id } of task.open.values()) requester.refuse(id, rejection(reason));
    this.#forget(task);
    if (task.waitId === undefined) return;
    this.#waiting.delete(task.waitId);
    requester.cancel(task.waitId, reason);
    task.waitId = undefined;
  }

  #forget(task: AskingTask): void {
    clearTimeout(task.timer);
    task.timer = undefined;
    for (const key of [...task.open.keys()]) this.#remove(task, key);
    wakeReaders(task);
  }
}

function firstOf<T>(values: Iterable<T>): T | undefined {
  for (const value of values) return value;
  return undefined;
}

function wakeReaders(task: AskingTask): void {
  for (const done of [...task.readers]) done();
}

function inputRequestsOf({ open }: AskingTask): InputRequests {
  return Object.fromEntries([...open].map(([key, { input }]) => [key, input]));
}

function createAskingTask(taskId: string, callerId: string | undefined, capabilities: ClientCapabilities): AskingTask {
  return {
    taskId,
    callerId,
    capabilities,
    open: new Map(),
    inputRequestCount: 0,
    waitId: undefined,
    timer: undefined,
    readers: new Set(),
  };
}
