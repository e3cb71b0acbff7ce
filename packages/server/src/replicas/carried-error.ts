// An error on its way to another process. Its JSON alone cannot say that it is a refusal.
import {
  type JsonObject,
  type JsonRpcErrorObject,
  McpError,
  overloaded,
  refusalOf,
  toErrorObject,
  tooManyRequests,
} from "@lethe/protocol";

export interface CarriedError {
  readonly error: JsonRpcErrorObject;
  /** The status of a refusal. Absent for another error. */
  readonly refusal?: 429 | 503;
}

const defaultRetryAfterMs = 1_000;

export function toCarriedError(thrown: unknown): CarriedError {
  const error = McpError.from(thrown);
  const refusal = refusalOf(error)?.status;
  return { error: toErrorObject(error), ...(refusal && { refusal }) };
}

export function fromCarriedError({ error: { code, message, data }, refusal }: CarriedError): McpError {
  const { retryAfterMs = defaultRetryAfterMs, ...details } = (data ?? {}) as JsonObject & { retryAfterMs?: number };
  if (refusal === 503) return overloaded(message, retryAfterMs, details);
  if (refusal === 429) return tooManyRequests(message, retryAfterMs);
  return new McpError(code, message, data === undefined ? {} : { data });
}
