// A task as stored: plain JSON, replaced as a whole, never changed in place.
import type { Caller, InputRequest, JsonObject, JsonRpcErrorObject, TaskStatus } from "@lethe/protocol";
import type { Journal } from "../interaction/journal.ts";

export interface StoredTask {
  readonly taskId: string;
  /** The `Caller.id`; undefined without authentication. */
  readonly owner: string | undefined;
  readonly tool: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** ms since 1970 */
  readonly createdAt: number;
  /** ms since 1970 */
  readonly lastUpdatedAt: number;
  /** From `createdAt`. */
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** The worker that runs the task. Undefined while it waits for input, after its end, or when it was handed back. */
  readonly worker?: string | undefined;
  /** How many workers died while they ran this task. */
  readonly deaths: number;
  /** The data to run the task again. Undefined after its end. */
  readonly work?: TaskWork | undefined;
  readonly inputRequests?: TaskInputRequests | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: JsonRpcErrorObject | undefined;
}

export interface TaskWork {
  /** The params of tools/call with `_meta`, without the members of a round. */
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  readonly journal: Journal;
  /** Responses that were not replayed yet, by the keys of the journal. */
  readonly answers: JsonObject;
  /** All keys that clients saw; they are never reused. */
  readonly usedKeys: readonly string[];
}

/** Pending input requests, by the key that the client sees. */
export interface TaskInputRequests {
  readonly [shownKey: string]: { readonly key: string; readonly request: InputRequest };
}
