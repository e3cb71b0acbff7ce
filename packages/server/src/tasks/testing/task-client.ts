// A client for tests: declares the tasks extension, subscribes to all changes of its tasks, and polls tasks to their end.
import type { Caller, DetailedTask, JsonObject, Result } from "@lethe/protocol";
import { isTerminal, tasksExtension } from "@lethe/protocol";
import { createServer } from "../../create-server.ts";
import type { Server } from "../../server.ts";
import type { ServerOptions } from "../../server-options.ts";
import { createMemoryBus } from "../../subscriptions/bus.ts";
import { call } from "../../testing/call.ts";
import type { RecordingExchange } from "../../testing/recording-exchange.ts";

export const capabilities: JsonObject = {
  elicitation: {},
  sampling: {},
  roots: {},
  extensions: { [tasksExtension]: {} },
};

export interface CallOptions {
  caller?: Caller;
  exchange?: RecordingExchange;
  capabilities?: JsonObject;
}

export interface TaskClient {
  readonly server: Server;
  /** All states from notifications, in order. */
  readonly told: DetailedTask[];
  call(name: string, args?: JsonObject, options?: CallOptions & { params?: JsonObject }): Promise<Result>;
  /** The id of a call that has to be answered with a task. */
  start(name: string, args?: JsonObject, options?: CallOptions): Promise<string>;
  get(taskId: string, options?: CallOptions): Promise<Result & DetailedTask>;
  update(taskId: string, inputResponses: JsonObject, options?: CallOptions): Promise<Result>;
  cancel(taskId: string, options?: CallOptions): Promise<Result>;
  /** Resolves with the first state, from now on or already there, that waits for input or is an end. */
  rest(taskId: string): Promise<Result & DetailedTask>;
}

/** Handed-out tasks come quickly: `auto` waits 20 ms. */
export function createTaskClient(define: (server: Server) => void, options: ServerOptions = {}): TaskClient {
  const bus = createMemoryBus();
  const server = createServer(
    { name: "test", version: "1" },
    { onError: () => {}, ...options, subscriptions: { bus }, tasks: { afterMs: 20, ...options.tasks } },
  );
  define(server);
  const told: DetailedTask[] = [];
  bus.subscribe((change) => {
    if (change.kind === "task") told.push(change.task as unknown as DetailedTask);
  });
  const ask = (method: string, params: JsonObject, own: CallOptions = {}) =>
    call(server, method, params, { capabilities, ...own });
  const get: TaskClient["get"] = async (taskId, own) =>
    (await ask("tasks/get", { taskId }, own)) as Result & DetailedTask;

  return {
    server,
    told,
    get,
    call: (name, args = {}, { params, ...own } = {}) => ask("tools/call", { name, arguments: args, ...params }, own),
    async start(name, args = {}, own) {
      const result = await ask("tools/call", { name, arguments: args }, own);
      if (result.resultType !== "task") throw new Error(`a task expected, got ${JSON.stringify(result)}`);
      return String(result.taskId);
    },
    update: (taskId, inputResponses, own) => ask("tasks/update", { taskId, inputResponses }, own),
    cancel: (taskId, own) => ask("tasks/cancel", { taskId }, own),
    async rest(taskId) {
      const isAtRest = ({ status }: DetailedTask) => status === "input_required" || isTerminal(status);
      let unsubscribe: () => void = () => {};
      const next = new Promise<void>((resolve) => {
        unsubscribe = bus.subscribe((change) => {
          const { task } = change as { task?: DetailedTask };
          if (task?.taskId === taskId && isAtRest(task)) resolve();
        });
      });
      const now = await get(taskId);
      if (!isAtRest(now)) await next;
      unsubscribe();
      return get(taskId);
    },
  };
}
