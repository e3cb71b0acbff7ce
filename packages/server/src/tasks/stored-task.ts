// A task as stored: plain JSON, replaced as a whole, never changed in place. Its arguments and its journal are stored apart, so
// that a change of the state writes neither.
import type { Caller, InputRequest, JsonObject, JsonRpcErrorObject, TaskStatus } from "@lethe/protocol";
import type { Journal, JournalEntry } from "../interaction/journal.ts";

/** A task as a store keeps it. */
export interface StoredTask extends TaskHold {
  readonly taskId: string;
  /** The `Caller.id`; undefined without authentication. */
  readonly owner: string | undefined;
  readonly tool: string;
  /** The queue and the tool. A worker acquires tasks only of lanes that it names. */
  readonly lane: string;
  /** 0 to 9. Workers acquire tasks with a higher priority first. */
  readonly priority: number;
  readonly status: TaskStatus;
  readonly statusMessage?: string | undefined;
  /** ms since 1970, by the clock of the store */
  readonly createdAt: number;
  /** ms since 1970, by the clock of the store */
  readonly lastUpdatedAt: number;
  /** From `createdAt`. */
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /**
   * In an update that hands a task back: no worker may acquire it for this time, in ms. The store does not return it. Absent in the
   * update of a task that waits already: the time stays as it is.
   */
  readonly delayMs?: number | undefined;
  /** The input rounds so far. Undefined after the end. */
  readonly rounds?: TaskRounds | undefined;
  readonly inputRequests?: TaskInputRequests | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: JsonRpcErrorObject | undefined;
}

/** Who runs a task. Only the store changes these members, but an update may remove `worker` and lower `deaths`. */
export interface TaskHold {
  /** The worker that runs the task. Undefined while it waits for input or for a worker, and after its end. */
  readonly worker?: string | undefined;
  /** Counts the workers that acquired the task. Writes with an earlier number are rejected. */
  readonly fence: number;
  /** How often in a row a worker was lost while it ran the task, without a new entry in the journal. */
  readonly losses: number;
  /** How many losses of workers the task plausibly caused. */
  readonly deaths: number;
}

/** The data to run a task. The store drops it when the task ends. */
export interface TaskWork {
  /** The params of tools/call with `_meta`, without the members of a round. */
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  /** The common part of the idempotency keys of all steps. */
  readonly seed: string;
}

/** What the rounds of a task have left: its journal, and the responses that were not replayed yet. */
export interface TaskRounds {
  /** The journal without its entries. */
  readonly journal: Omit<Journal, "entries">;
  /** Responses that were not replayed yet, by the keys of the journal. */
  readonly answers: JsonObject;
  /** All keys that clients saw; they are never reused. */
  readonly usedKeys: readonly string[];
  /** How often the handler failed with a retryable error. */
  readonly failures: number;
  /** Its callbacks by their keys: those with a schema, and those that a request has completed. */
  readonly callbacks?: { readonly [key: string]: StoredCallback };
  /** When its sleeps are over, by their number, in ms since 1970 by the clock of the store. */
  readonly sleeps?: { readonly [key: string]: number };
  /** How long the task slept so far, in ms, with the rest of a sleep that is not over. Its time to live was extended by this. */
  readonly sleptMs?: number;
  /** The end of the sleep that `sleptMs` contains last, in ms since 1970 by the clock of the store. */
  readonly sleptUntil?: number;
}

/** A callback: open (at most a schema), completed (a body that the handler has not received yet), or closed (an end). */
export interface StoredCallback {
  /** The JSON Schema of the body. */
  readonly schema?: JsonObject;
  /** Any JSON. When the handler has received it, only the journal keeps it. */
  readonly body?: unknown;
  readonly end?: "received" | "timed out";
}

/** Pending input requests, by the key that the client sees. */
export interface TaskInputRequests {
  readonly [shownKey: string]: { readonly key: string; readonly request: InputRequest };
}

/** The content of a task that is created from a run on its request. */
export interface TaskContent {
  readonly work: TaskWork;
  readonly rounds: TaskRounds;
  readonly entries: readonly JournalEntry[];
}
