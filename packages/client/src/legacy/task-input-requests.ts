// What the tasks of a legacy server ask (D-38): each question names its task, and most servers ask only while somebody
// waits for the task's result.
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
import { type ReadInputRequest, readInputRequest, rejection } from "./read-input-request.ts";

export interface TaskQuestionsOptions {
  readonly requester: Pick<Requester, "mint" | "request" | "cancel" | "respond" | "refuse">;
  readonly revision: Revision;
  /** Answer every `roots/list` at once. */
  readonly roots?: readonly Root[] | undefined;
  /** How many tasks are known at a time; the one asked after least recently goes first. Default 1,000. */
  readonly maxTasks?: number;
  /** How long a question waits for somebody to ask after its task, in milliseconds. Default 10 minutes. */
  readonly ttlMs?: number;
  /** How long a server may take to say what it wants to know, in milliseconds. Default 1,000. */
  readonly askMs?: number;
}

export interface TaskInputRequests {
  /** Throws -32602 for a task of another caller, as for one that is not there (F-25). */
  requireCaller(taskId: string, exchange: Exchange): void;
  /** From now on questions of the task are for this caller, with what can be asked of it. */
  listenFor(taskId: string, request: ModernRequest, exchange: Exchange): void;
  /** The open questions, by keys that are never used again (F-14). When `isAsking`, waits a little for the first one. */
  read(taskId: string, isAsking: boolean): Promise<InputRequests | undefined>;
  /** False when the task asks nothing. Throws -32602 for an answer that does not fit its question. */
  answer(taskId: string, responses: JsonObject): boolean;
  /** Takes a request of the server that belongs to a task; false for any other. */
  ask(message: JsonRpcRequest, origin?: RequestId): boolean;
  /** The server does not want to know any more. */
  withdraw(id: RequestId): void;
  /** Refuses what is open. Who may ask after the task is remembered. */
  close(taskId: string, reason: string): void;
  closeAll(): void;
}

interface Asking {
  readonly taskId: string;
  readonly callerId: string | undefined;
  /** Of the latest request. */
  capabilities: ClientCapabilities;
  readonly open: Map<string, { readonly id: RequestId; readonly input: InputRequest }>;
  /** How many questions there were; makes the keys. */
  asked: number;
  /** The tasks/result that is open for the server to ask. */
  waitId: number | undefined;
  timer: BackgroundTimer | undefined;
  readonly onAsked: Set<() => void>;
}

const maxQuestions = 100;

export function createTaskInputRequests(options: TaskQuestionsOptions): TaskInputRequests {
  const { requester, revision, roots, maxTasks = 1_000, ttlMs = 600_000, askMs = 1_000 } = options;
  /** In the order of use. */
  const tasks = new Map<string, Asking>();

  function requireCaller(taskId: string, { caller }: Exchange): void {
    const known = tasks.get(taskId);
    if (known && known.callerId !== caller?.id) throw invalidParams("unknown task");
  }

  function listenFor(taskId: string, request: ModernRequest, exchange: Exchange): void {
    requireCaller(taskId, exchange);
    const capabilities = clientCapabilitiesOf(request);
    const task = tasks.get(taskId) ?? create(taskId, exchange.caller?.id, capabilities);
    task.capabilities = capabilities;
    tasks.delete(taskId);
    tasks.set(taskId, task);
    if (task.timer) arm(task);
    const oldest = tasks.size > maxTasks ? tasks.values().next().value : undefined;
    if (!oldest) return;
    end(oldest, "too many tasks");
    tasks.delete(oldest.taskId);
  }

  /** Nobody promises that anybody ever asks again. */
  function arm(task: Asking): void {
    clearTimeout(task.timer);
    task.timer = startBackgroundTimer(() => end(task, "nobody has asked after the task"), ttlMs);
  }

  async function read(taskId: string, isAsking: boolean): Promise<InputRequests | undefined> {
    const task = tasks.get(taskId);
    if (!task) return undefined;
    if (isAsking && task.waitId === undefined) waitForResult(task);
    if (isAsking && task.open.size === 0) await nextQuestion(task);
    if (task.open.size === 0) return undefined;
    return inputRequestsOf(task);
  }

  function waitForResult(task: Asking): void {
    const id = requester.mint();
    task.waitId = id;
    arm(task);
    const over = () => {
      if (task.waitId === id) task.waitId = undefined;
      notice(task);
    };
    // The result itself is asked for when the state says that it is there.
    requester.request(id, legacyMethod.getTaskResult, { taskId: task.taskId }).then(over, over);
  }

  function nextQuestion(task: Asking): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        task.onAsked.delete(done);
        resolve();
      };
      const timer = startBackgroundTimer(done, askMs);
      task.onAsked.add(done);
    });
  }

  function notice(task: Asking): void {
    for (const done of [...task.onAsked]) done();
  }

  function ask(message: JsonRpcRequest, origin?: RequestId): boolean {
    const task = taskOf(message, origin);
    if (!task) return false;
    if (message.method === "roots/list" && roots) requester.respond(message.id, { roots: [...roots] });
    else take(task, message);
    return true;
  }

  function taskOf({ params }: JsonRpcRequest, origin: RequestId | undefined): Asking | undefined {
    const related = isJsonObject(params?._meta) ? params._meta[relatedTaskKey] : undefined;
    if (isJsonObject(related)) return typeof related.taskId === "string" ? tasks.get(related.taskId) : undefined;
    return origin === undefined ? undefined : [...tasks.values()].find(({ waitId }) => waitId === origin);
  }

  function take(task: Asking, message: JsonRpcRequest): void {
    const read: ReadInputRequest =
      task.open.size < maxQuestions
        ? readInputRequest(message, revision, task.capabilities)
        : { refused: rejection("too many open questions") };
    if (read.refused) {
      requester.refuse(message.id, read.refused);
      return;
    }
    task.asked += 1;
    task.open.set(`q${task.asked}`, { id: message.id, input: read.input });
    arm(task);
    notice(task);
  }

  function answer(taskId: string, responses: JsonObject): boolean {
    const task = tasks.get(taskId);
    if (!task || task.open.size === 0) return false;
    for (const [key, answer] of Object.entries(readAnswers(inputRequestsOf(task), responses))) {
      const question = task.open.get(key);
      task.open.delete(key);
      if (question) requester.respond(question.id, answer as JsonObject);
    }
    return true;
  }

  function withdraw(id: RequestId): void {
    for (const { open } of tasks.values()) {
      for (const [key, question] of open) if (question.id === id) open.delete(key);
    }
  }

  function end(task: Asking, reason: string): void {
    for (const { id } of task.open.values()) requester.refuse(id, rejection(reason));
    forget(task);
    if (task.waitId !== undefined) requester.cancel(task.waitId, reason);
    task.waitId = undefined;
  }

  function forget(task: Asking): void {
    clearTimeout(task.timer);
    task.timer = undefined;
    task.open.clear();
    notice(task);
  }

  return {
    requireCaller,
    listenFor,
    read,
    answer,
    ask,
    withdraw,
    close(taskId, reason) {
      const task = tasks.get(taskId);
      if (task) end(task, reason);
    },
    closeAll() {
      for (const task of tasks.values()) forget(task);
      tasks.clear();
    },
  };
}

function inputRequestsOf({ open }: Asking): InputRequests {
  return Object.fromEntries([...open].map(([key, { input }]) => [key, input]));
}

function create(taskId: string, callerId: string | undefined, capabilities: ClientCapabilities): Asking {
  return {
    taskId,
    callerId,
    capabilities,
    open: new Map(),
    asked: 0,
    waitId: undefined,
    timer: undefined,
    onAsked: new Set(),
  };
}
