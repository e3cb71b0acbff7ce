// Why a request failed, in words from a closed list, so that operators can count and alert by reason.
import { isJsonObject, isMcpError, type McpError, refusalOf } from "@lethe/protocol";
import { isAuthenticationError } from "@lethe/server/auth";
import { isPolicyDenial } from "./policy/policy-denial.ts";

export interface RequestFailure {
  /** "rejected" if the gateway did not let the request through: rate, concurrency, memory, policy or scopes. */
  readonly outcome: "rejected" | "error";
  readonly reason: string;
}

/** Errors without a reason of their own, by JSON-RPC code. */
const reasonOfCode: ReadonlyMap<number, string> = new Map([
  [-32700, "parse_error"],
  [-32600, "invalid_request"],
  [-32601, "method_not_found"],
  [-32602, "invalid_params"],
  [-32603, "internal_error"],
  [-32002, "resource_not_found"],
  [-32020, "header_mismatch"],
  [-32021, "missing_capability"],
  [-32022, "unsupported_version"],
]);

export function toRequestFailure(error: unknown): RequestFailure {
  if (isAuthenticationError(error)) return { outcome: "rejected", reason: "insufficient_scope" };
  if (!isMcpError(error)) return { outcome: "error", reason: "internal_error" };
  if (isPolicyDenial(error)) return { outcome: "rejected", reason: "denied_by_policy" };
  const own = ownReasonOf(error);
  if (own !== undefined) return { outcome: "error", reason: own };
  const refusal = refusalOf(error);
  if (refusal) return { outcome: "rejected", reason: refusal.status === 429 ? "rate_limited" : "overloaded" };
  return { outcome: "error", reason: reasonOfCode.get(error.code) ?? "other" };
}

/** `data.reason`, also of an error that an upstream sent. */
function ownReasonOf({ data }: McpError): string | undefined {
  return isJsonObject(data) && typeof data.reason === "string" ? data.reason : undefined;
}

/** Reasons of the gateway and its stores. An upstream may send any other. */
export const knownReasons: ReadonlySet<string> = new Set([
  ...reasonOfCode.values(),
  ...["insufficient_scope", "denied_by_policy", "rate_limited", "overloaded"],
  ...["unavailable", "busy", "lost", "timeout", "unauthorized", "invalid", "too_large", "unreachable"],
  ...["call_gone", "task_lost", "session_gone", "session_lost", "era_switched", "no_session"],
  ...["already_answered", "incompatible_version", "task_store_unavailable", "session_store_unavailable"],
]);

/** Returns the reason as a label of metrics, which keep every value that they have seen. */
export function toReasonLabel(reason: string): string {
  return knownReasons.has(reason) ? reason : "other";
}
