// The journal of a handler (E.3, E-31): written when a round ends, replayed when the next one starts.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

export interface Journal {
  readonly v: 1;
  /** The fingerprint of the handler that wrote it. No other may replay it, except one that names its version as compatible. */
  readonly mark: string;
  /** The version that this handler declared. */
  readonly version?: string | undefined;
  /** The common part of the idempotency keys of all steps. Undefined before the first step. */
  readonly seed?: string | undefined;
  /** The number of rounds of this call so far. */
  readonly round: number;
  /**
   * Responses and computed values in the order in which the handler got them. A replay keeps this order,
   * so that even parallel branches make the same calls in the same order as before.
   */
  readonly entries: readonly JournalEntry[];
  /** The input requests of the last round; a response is read by the request with its key. */
  readonly asked: readonly SentInputRequest[];
  /** The `state` of `inputRequired`. */
  readonly state?: JsonObject | undefined;
  /** Responses to `inputRequired` that a run had when another request suspended it; the next run gets them too. */
  readonly inputResponses?: JsonObject | undefined;
}

/** What a journal says about the handler that writes it. */
export type JournalStamp = Pick<Journal, "mark" | "version">;

export type JournalEntry = AnswerEntry | ValueEntry;

export interface AnswerEntry {
  readonly kind: "answer";
  readonly key: string;
  /** The digest of the request, to detect a different replay. */
  readonly digest: string;
  readonly value: unknown;
  /** Names the request in errors. Absent in journals of earlier versions. */
  readonly label?: string;
}

export interface ValueEntry {
  /**
   * `auto` is a value without a key: of `now()`, `uuid()` and the URL of a callback. `sleep` is a sleep that is over, without a value.
   * `callback` has the body of the request, or no value if none came in time.
   */
  readonly kind: "once" | "auto" | "sleep" | "callback";
  readonly key: string;
  /** Absent when the function returned undefined. */
  readonly value?: unknown;
}

export interface SentInputRequest {
  readonly key: string;
  readonly digest: string;
  /** Names the request in errors. Absent in journals of earlier versions. */
  readonly label?: string;
  /** The request itself, for `inputRequired`: the handler does not repeat it before the response is read. */
  readonly raw?: JsonObject;
}

/** The end of the wait for a callback: the body of its request, or none because the time is over. */
export type CallbackEnd = { readonly body: unknown } | "timed out";

/** Where a journal is kept between two rounds: with the client, or in a store. */
export interface JournalHome {
  /** True when there is no journal to load: nothing is allocated until the handler requests input. */
  readonly isEmpty?: boolean;
  /** True when this run no longer owns the journal: nothing is stored from here on. */
  readonly isLost?: boolean;
  /** The common part of the idempotency keys of all steps. Absent: a new one for each run. */
  readonly seed?: string;
  /** Counts the processes that acquired the task of this journal. 0 without a task. */
  readonly fence?: number;
  /** Undefined without a journal. Throws McpError -32602 for the journal of another call. */
  load(): Promise<Journal | undefined>;
  /**
   * Stores one entry before the handler gets its value. Absent, or undefined instead of a
   * promise: entries are stored when the round ends.
   */
  append?(entry: JournalEntry): Promise<void> | undefined;
  /** Notes a sleep of the handler and returns the rest of it, in ms. Absent: the handler cannot leave this process. */
  beginSleep?(key: string, ms: number): number;
  /** The URL of a callback, and the JSON Schema of its body. Rejects when the call becomes no task. Absent: the handler cannot leave this process. */
  callbackUrl?(key: string, schema: JsonObject | undefined): Promise<string>;
  /** What came of a callback so far. Undefined: nothing yet, and it may still arrive. */
  beginCallback?(key: string, ms: number): CallbackEnd | undefined;
  /** Resolves when a sleeping handler can leave this process. Undefined if it can now. Rejects when it never can. */
  whenDurable?(): Promise<void> | undefined;
  /** Resolves when a new step may start. Undefined if it may start now. Rejects when the journal has another owner. */
  whenSafe?(): Promise<void> | undefined;
  /** Returns the `requestState` for the client, or undefined when the server stores the journal. */
  save(journal: Journal): Promise<string | undefined>;
}

/** This package wrote it, perhaps in another version: only the version is checked. */
export function isJournal(value: unknown): value is Journal {
  return isJsonObject(value) && value.v === 1 && Array.isArray(value.entries) && Array.isArray(value.asked);
}
