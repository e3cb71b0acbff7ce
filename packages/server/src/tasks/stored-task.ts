// A task as a store keeps it: plain JSON, replaced as a whole, never changed in place.
import type { Caller, InputRequest, JsonObject, JsonRpcErrorObject, TaskStatus } from "@lethe/protocol";
import type { Journal } from "../interaction/journal.ts";

export interface StoredTask {
  readonly taskId: string;
  /** `Caller.id` of who called; undefined when nobody authenticated. */
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
  /** Who runs it. Undefined when nobody does: it waits for answers, has ended, or was handed back. */
  readonly worker?: string | undefined;
  /** How often a worker has died while it ran this task. */
  readonly deaths: number;
  /** What it takes to run it again. Undefined when it has ended. */
  readonly work?: TaskWork | undefined;
  readonly questions?: TaskQuestions | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: JsonRpcErrorObject | undefined;
}

export interface TaskWork {
  /** Of tools/call, `_meta` included, without what belongs to a round. */
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  readonly journal: Journal;
  /** Given and not replayed yet, by the keys of the journal. */
  readonly answers: JsonObject;
  /** Every key that was ever shown: it never stands for another question (F-14). */
  readonly usedKeys: readonly string[];
}

/** What is open, by the key that the client sees. */
export interface TaskQuestions {
  readonly [shownKey: string]: { readonly key: string; readonly request: InputRequest };
}
