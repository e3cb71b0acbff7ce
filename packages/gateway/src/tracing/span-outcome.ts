// How a traced request ended, as attributes of its span. Messages of errors are left out, because they may repeat arguments.
import { isTransportError } from "@lethe/client";
import { isJsonObject, isMcpError, type Result } from "@lethe/protocol";

export interface SpanOutcome {
  /** Empty for success. */
  readonly attributes: Record<string, string>;
  /** Why it failed, in a word. */
  readonly reason?: string;
}

const maxReasonLength = 64;

export function toResultOutcome(result: Result): SpanOutcome {
  return { attributes: result.isError === true ? { "error.type": "tool_error" } : {} };
}

export function toErrorOutcome(error: unknown): SpanOutcome {
  if (isTransportError(error)) return { attributes: { "error.type": error.reason }, reason: error.reason };
  if (!isMcpError(error)) return { attributes: { "error.type": "_OTHER" } };
  const code = String(error.code);
  const reason = isJsonObject(error.data) && typeof error.data.reason === "string" ? error.data.reason : undefined;
  return {
    attributes: { "error.type": code, "rpc.response.status_code": code },
    ...(reason !== undefined && { reason: reason.slice(0, maxReasonLength) }),
  };
}
