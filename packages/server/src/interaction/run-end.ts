// The outcome of one run of a handler: its pending input requests and its error.
import type { InputRequest } from "@lethe/protocol";

/** An input request without a response. */
export interface PendingInputRequest {
  readonly key: string;
  readonly digest: string;
  readonly request: InputRequest;
  /** Names the request in errors. */
  readonly label?: string;
}

/** The outcome of a run besides the handler's return value. */
export interface RunEnd {
  readonly isSuspended: boolean;
  /** An InteractionError of the replay, or the reason why the journal could not be stored. The call fails in both cases. */
  readonly error: unknown;
  readonly pending: readonly PendingInputRequest[];
  /** Steps without a result whose promises the handler did not use. */
  readonly forgotten: readonly string[];
}
