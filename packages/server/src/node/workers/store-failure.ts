// The error of a store of the parent, on its way to a worker.
import {
  type JsonObject,
  type JsonRpcErrorObject,
  McpError,
  overloaded,
  refusalOf,
  toErrorObject,
  tooManyRequests,
} from "@lethe/protocol";

/** An error with what makes it a refusal, which its JSON alone cannot say. */
export interface StoreFailure {
  readonly error: JsonRpcErrorObject;
  readonly refusal?: 429 | 503;
}

const retryAfterMs = 1_000;

export function toStoreFailure(thrown: unknown): StoreFailure {
  const error = McpError.from(thrown);
  const refusal = refusalOf(error)?.status;
  return { error: toErrorObject(error), ...(refusal && { refusal }) };
}

export function fromStoreFailure({ error: { code, message, data }, refusal }: StoreFailure): McpError {
  const { retryAfterMs: after = retryAfterMs, ...details } = (data ?? {}) as JsonObject & { retryAfterMs?: number };
  if (refusal === 503) return overloaded(message, after, details);
  if (refusal === 429) return tooManyRequests(message, after);
  return new McpError(code, message, data === undefined ? {} : { data });
}
