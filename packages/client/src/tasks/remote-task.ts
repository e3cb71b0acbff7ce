// A handle for one task of a server, for hosts that keep tasks across their own restarts (F-16).
import type { CallToolResult, DetailedTask, InputResponses } from "@lethe/protocol";
import type { FollowOptions } from "./create-tasks.ts";
import type { TaskHandle } from "./follow-task.ts";

/** Calls reject with McpError -32602 if the task does not exist for this caller. */
export interface RemoteTask {
  /** Serialize it as JSON to find the task again from another process. */
  readonly handle: TaskHandle;
  /** The current state. */
  get(options?: { signal?: AbortSignal }): Promise<DetailedTask>;
  /** Follows the task to its end and answers its input requests with the client's handlers. */
  result(options?: FollowOptions): Promise<CallToolResult>;
  /** Sends answers by key. The others can follow later; the first answer of a key counts. */
  update(inputResponses: InputResponses, options?: { signal?: AbortSignal }): Promise<void>;
  /** Resolves when the server has acknowledged the cancellation. The task may still end otherwise. */
  cancel(options?: { signal?: AbortSignal }): Promise<void>;
}
