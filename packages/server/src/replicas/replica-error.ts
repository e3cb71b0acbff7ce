// The error of a request that one replica of a gateway could not forward to another.

/** Why a request to another replica failed, and whether it may have run. */
export type ReplicaFailure =
  /** The other replica cannot be reached. The request has not started. */
  | "unavailable"
  /** The other replica is at its limit. The request has not started. */
  | "busy"
  /** The other replica stopped or went silent. The request may have run. */
  | "lost"
  /** The request or its response exceeds the message limit. */
  | "too_large";

/**
 * A request could not be forwarded to another replica. `reason` says whether it may have run, `retryAfterMs` when to retry.
 *
 * @example
 * import { isReplicaError, ReplicaError } from "@lethe/server/stores";
 *
 * const error = new ReplicaError("busy", "has 10,000 forwarded requests", { retryAfterMs: 500 });
 * console.log(isReplicaError(error), error.reason); // true busy
 */
export class ReplicaError extends Error {
  readonly reason: ReplicaFailure;
  readonly retryAfterMs: number | undefined;

  /** `message` continues a sentence that begins with the name of an upstream. */
  constructor(reason: ReplicaFailure, message: string, { retryAfterMs }: { retryAfterMs?: number } = {}) {
    super(message);
    this.name = "ReplicaError";
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Whether `value` is a ReplicaError, also one of another copy of this package.
 *
 * @example
 * import { isReplicaError } from "@lethe/server/stores";
 *
 * console.log(isReplicaError(new Error("other"))); // false
 */
export function isReplicaError(value: unknown): value is ReplicaError {
  return value instanceof Error && value.name === "ReplicaError";
}
