// What a handler has learned so far (E.3, E-31): written when a round ends, replayed when the next one starts.
import { isJsonObject, type JsonObject } from "@lethe/protocol";

export interface Journal {
  readonly v: 1;
  /** Of the handler that wrote it: no other may replay it. */
  readonly mark: string;
  /** How often this call has asked for input. */
  readonly round: number;
  /**
   * Answers and computed values in the order in which the handler got them. A replay hands them out in the same order,
   * so that even parallel branches make the same calls in the same order as before.
   */
  readonly entries: readonly JournalEntry[];
  /** The questions of the last round: an answer is read by the question under its key (J-76). */
  readonly asked: readonly AskedQuestion[];
  /** Of the raw form: what `inputRequired({ state })` held. */
  readonly state?: JsonObject | undefined;
  /** Of the raw form: answers that a run had when it was suspended by another question, for the next run to have too. */
  readonly inputResponses?: JsonObject | undefined;
}

export type JournalEntry = AnswerEntry | ValueEntry;

export interface AnswerEntry {
  readonly kind: "answer";
  readonly key: string;
  /** Of the question, to see that the replay asks the same. */
  readonly digest: string;
  readonly value: unknown;
}

export interface ValueEntry {
  /** `auto` is a value whose key was not given: of `now()` and `uuid()`. */
  readonly kind: "once" | "auto";
  readonly key: string;
  /** Absent when the function returned undefined. */
  readonly value?: unknown;
}

export interface AskedQuestion {
  readonly key: string;
  readonly digest: string;
  /** Of the raw form, where nobody asks again before the answer is read: the question itself. */
  readonly raw?: JsonObject;
}

/** Where a journal is between two rounds: with the client, or in a store. */
export interface JournalHome {
  /** True when there is nothing to load: then nothing is made until the handler asks. */
  readonly isEmpty?: boolean;
  /** True when it is somebody else's by now, or nobody's: what happens from here on is kept nowhere. */
  readonly isLost?: boolean;
  /** Undefined when nothing was kept. Throws McpError -32602 for a journal that is not this call's. */
  load(): Promise<Journal | undefined>;
  /**
   * For a home that keeps each entry when it is made: the handler gets its value after that. Absent, or undefined for a
   * promise: the entry is kept when the round ends.
   */
  append?(entry: JournalEntry): Promise<void> | undefined;
  /** Returns the `requestState` for the client, or undefined when the journal stays on this side. */
  save(journal: Journal): Promise<string | undefined>;
}

/** Its author is this package, perhaps in another version: enough is checked to know which. */
export function isJournal(value: unknown): value is Journal {
  return isJsonObject(value) && value.v === 1 && Array.isArray(value.entries) && Array.isArray(value.asked);
}
