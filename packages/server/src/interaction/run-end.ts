// What one run of a handler leaves behind for the round: whether it waits, for what, and what went wrong.
import type { InputRequest } from "@lethe/protocol";

/** A question that waits for an answer. */
export interface PendingQuestion {
  readonly key: string;
  readonly digest: string;
  readonly request: InputRequest;
}

/** What a run ended with, besides what the handler returned. */
export interface RunEnd {
  readonly isSuspended: boolean;
  /** InteractionError when the replay went wrong, else why nothing could be kept: the call has to fail in any case. */
  readonly error: unknown;
  readonly pending: readonly PendingQuestion[];
}
