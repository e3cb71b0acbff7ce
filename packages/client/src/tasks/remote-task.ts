// One task of a server, found by its handle: what a host works with that keeps tasks over its own restarts (F-16).
import type { CallToolResult, DetailedTask, InputResponses } from "@lethe/protocol";
import type { FollowOptions } from "./create-tasks.ts";
import type { TaskHandle } from "./follow-task.ts";

/** Calls reject with McpError -32602 when the server does not know the task, or not for this caller. */
export interface RemoteTask {
  /** As JSON it outlives this process. */
  readonly handle: TaskHandle;
  /** How it stands now. */
  get(options?: { signal?: AbortSignal }): Promise<DetailedTask>;
  /** Follows it to its end, and answers what it asks with the handlers of the client. */
  result(options?: FollowOptions): Promise<CallToolResult>;
  /** Answers by key. The others can come later; one that was given before does not count (F-14). */
  update(inputResponses: InputResponses, options?: { signal?: AbortSignal }): Promise<void>;
  /** Resolves when the server has heard of it: the task may still end otherwise (F-20). */
  cancel(options?: { signal?: AbortSignal }): Promise<void>;
}
