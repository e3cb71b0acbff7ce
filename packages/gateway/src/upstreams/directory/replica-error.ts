// What goes wrong between two replicas of a gateway, before anybody has said which upstream it was about.

export type ReplicaFailure =
  /** The other one cannot be reached. The request has not begun. */
  | "unavailable"
  /** It has too much to do. The request has not begun. */
  | "busy"
  /** It ended, or fell silent, in the middle: the request may have been carried out. */
  | "lost"
  /** What was to be passed on is too large. */
  | "too_large";

export class ReplicaError extends Error {
  readonly reason: ReplicaFailure;
  readonly retryAfterMs: number | undefined;

  /** `message` goes on after the name of an upstream. */
  constructor(reason: ReplicaFailure, message: string, { retryAfterMs }: { retryAfterMs?: number } = {}) {
    super(message);
    this.name = "ReplicaError";
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** True for a ReplicaError of any copy of this package. */
export function isReplicaError(value: unknown): value is ReplicaError {
  return value instanceof Error && value.name === "ReplicaError";
}
