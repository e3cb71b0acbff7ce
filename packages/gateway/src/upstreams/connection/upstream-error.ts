// The errors between the gateway and an upstream, as a caller sees them (A-46, D-52): which upstream failed, and what to do.
import { isTransportError, type TransportErrorReason } from "@lethe/client";
import { isUnsent } from "@lethe/client/edge";
import {
  type ClientCapabilities,
  errorCode,
  fromDraftError,
  invalidParams,
  isJsonObject,
  isMcpError,
  type JsonObject,
  McpError,
  method,
  overloaded,
} from "@lethe/protocol";
import { isReplicaError, type ReplicaError } from "@lethe/server/stores";

/** The value of `data.reason` in the error with code -32603. */
export type UpstreamFailure =
  /** The upstream is not running or is unreachable. The request has not begun. */
  | "unavailable"
  /** The upstream is overloaded. The request has not begun. */
  | "busy"
  /** The connection ended during the request, which may have been carried out. */
  | "lost"
  /** The upstream did not respond in time. The request may have been carried out. */
  | "timeout"
  /** The upstream rejects the gateway's credentials. */
  | "unauthorized"
  /** The upstream sent an invalid response. */
  | "invalid"
  /** The pending call no longer exists, and it was not run again. */
  | "call_gone"
  /** The replica that ran a task is gone. The call may have been carried out, and it was not run again. */
  | "task_lost"
  /** The session of the given handle has ended. */
  | "session_gone"
  /** The state of the caller's session is lost, for the reason in `data.cause`. The request has not begun. */
  | "session_lost"
  /** The tool needs the older era of its upstream. The next call uses it. This call may have been carried out in part. */
  | "era_switched"
  /** The upstream sent an input request during a call, but has no session to receive the response. The request has begun. */
  | "no_session";

export interface UpstreamErrorOptions {
  cause?: unknown;
  retryAfterMs?: number;
}

export function upstreamError(
  upstream: string,
  reason: UpstreamFailure,
  what: string,
  { cause, retryAfterMs }: UpstreamErrorOptions = {},
): McpError {
  const data: JsonObject = { reason, upstream };
  if (retryAfterMs !== undefined) data.retryAfterMs = Math.ceil(retryAfterMs);
  return new McpError(errorCode.internalError, `upstream "${upstream}" ${what}`, { data, cause });
}

/** In ms, for a failure that does not say when to retry. */
const usualRetryAfterMs = 1_000;

/**
 * An error for a request that has not started, so that it may be sent again here or elsewhere. Over HTTP it has status 503 and
 * `Retry-After`. `retryAfterMs` is 1,000 by default.
 */
export function notStarted(
  upstream: string,
  reason: "unavailable" | "busy",
  what: string,
  { cause, retryAfterMs = usualRetryAfterMs }: UpstreamErrorOptions = {},
): McpError {
  const data: JsonObject = { reason, upstream, retryAfterMs: Math.ceil(retryAfterMs) };
  return new McpError(errorCode.internalError, `upstream "${upstream}" ${what}`, { data, cause, refusalStatus: 503 });
}

/** An error for discover and lists, which a client sends first. Over HTTP it has status 503 and `Retry-After`. */
export function upstreamOutage(upstream: string, what: string, retryAfterMs: number): McpError {
  return overloaded(`upstream "${upstream}" ${what}`, retryAfterMs, { reason: "unavailable", upstream });
}

/** Returns why a start failed, without text of the server, which only the operator may see. "" if no description fits. */
export function toStartFailure(error: unknown): string {
  if (isMcpError(error)) return "it refused to begin a session";
  return (isTransportError(error) && startFailures[error.reason]) || "";
}

const startFailures: Readonly<Partial<Record<TransportErrorReason, string>>> = {
  unreachable: "it cannot be started or reached",
  lost: "it ended while it started",
  timeout: "it did not start in time",
  cancelled: "it did not start in time",
  unauthorized: "it does not let the gateway in",
  invalid: "it does not answer as an MCP server",
  status: "it does not answer as an MCP server",
  redirect: "it has moved",
};

/** Converts a failure to reach the replica that owns a session. */
export function toReplicaFailure(upstream: string, error: ReplicaError): McpError {
  const { reason, message, retryAfterMs } = error;
  const details = { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (reason === "unavailable" || reason === "busy") return notStarted(upstream, reason, message, details);
  return upstreamError(upstream, reason === "too_large" ? "invalid" : reason, message, details);
}

/** Throws the converted failure. Any other error is thrown unchanged. */
export function throwReplicaFailure(upstream: string, error: unknown): never {
  throw isReplicaError(error) ? toReplicaFailure(upstream, error) : error;
}

/** `declared` holds the capabilities that the caller of the failed request declared. */
export function toCallerError(upstream: string, error: unknown, declared: ClientCapabilities): McpError {
  if (isTransportError(error)) {
    const [reason, what] = (error.reason === "status" && ofStatus(error.status)) || failures[error.reason];
    const { retryAfterMs } = error;
    const details = { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    // After "lost_track", each further attempt would use up another session.
    if (isUnsent(error) && error.reason !== "lost_track" && (reason === "unavailable" || reason === "busy")) {
      return notStarted(upstream, reason, what, details);
    }
    return upstreamError(upstream, reason, what, details);
  }
  // The params cannot be serialized, so nothing was sent.
  if (error instanceof RangeError) return invalidParams("the params are nested too deep to be forwarded");
  if (!isMcpError(error)) return upstreamError(upstream, "invalid", "could not be called", { cause: error });
  const final = fromDraftError(error);
  if (final.code === errorCode.missingClientCapability && isLacking(declared, final.data)) return final;
  if (!aboutOurRequest.has(final.code)) return error;
  return upstreamError(upstream, "invalid", "refused what the gateway made of the request", { cause: error });
}

const takesTurns =
  "does not say which call asks its caller, so calls that may ask take turns, and another one was in progress for too long; " +
  "the operator can name the tools that ask (elicits), raise sessions.turnWaitMs, or allow more processes " +
  "(sessions.maxShared)";
const asksWithoutSession =
  "asks its caller in the middle of a call, but has no session that could take the answer; run the server with sessions " +
  "(FastMCP: stateless_http=False, TypeScript SDK: a sessionIdGenerator)";

const failures: Readonly<Record<TransportErrorReason, readonly [UpstreamFailure, string]>> = {
  unreachable: ["unavailable", "cannot be reached"],
  lost: ["lost", "broke off while it answered; the request may have been carried out"],
  timeout: ["timeout", "did not answer in time; the request may have been carried out"],
  busy: ["busy", takesTurns],
  too_many_pending: ["call_gone", "asks, but too many calls wait for an answer already; the call was cancelled"],
  lost_track: ["unavailable", "may still ask for a call that was cancelled"],
  no_session: ["no_session", asksWithoutSession],
  cancelled: ["lost", "was told that the request is cancelled"],
  closed: ["lost", "was stopped while it answered; the request may have been carried out"],
  invalid: ["invalid", "gave an answer that is no MCP message"],
  status: ["unavailable", "is answered for by something that is no MCP server"],
  unauthorized: ["unauthorized", "does not let the gateway in"],
  redirect: ["unavailable", "has moved"],
  too_large: ["invalid", "gave more than is accepted"],
  too_deep: ["invalid", "gave an answer that is nested too deep"],
};

/** Returns the text for a status of an application or its proxy, or undefined if the request did not reach a server. */
function ofStatus(status: number | undefined): readonly [UpstreamFailure, string] | undefined {
  if (status === 429) return ["busy", "has too much to do"];
  if (status === 503) return ["unavailable", "is out of service"];
  if (status === undefined || status < 500) return undefined;
  return ["lost", `failed with status ${status}; the request may have been carried out`];
}

/** Whether opening failed because the server or its process ended meanwhile. A server that cannot be reached was down before. */
export function hasBrokenOff(error: unknown): boolean {
  const cause = isMcpError(error) ? error.cause : error;
  return isTransportError(cause) && cause.reason === "lost";
}

/** Whether an error shows that the upstream is down, and not only that this request failed. */
export function isOutage(error: unknown, requested: string): boolean {
  if (!isTransportError(error)) return false;
  // A slow tool is not an outage: a caller of one must not open the circuit for others.
  const isSlow = error.reason === "timeout" || error.status === 504;
  if (isSlow && requested === method.callTool) return false;
  if (error.status === 429) return false;
  return outages.has(error.reason);
}

const outages: ReadonlySet<TransportErrorReason> = new Set(["unreachable", "lost", "timeout", "status", "invalid"]);

/** The refused headers, version or capabilities are the gateway's own, not the caller's (D-52). */
const aboutOurRequest: ReadonlySet<number> = new Set([
  errorCode.headerMismatch,
  errorCode.missingClientCapability,
  errorCode.unsupportedProtocolVersion,
]);

/** The upstream misses a capability that the caller did declare, so the caller is not at fault (J-65). */
function isLacking(declared: ClientCapabilities, data: unknown): boolean {
  const required = isJsonObject(data) && isJsonObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  return Object.keys(required).some((name) => isMissing(required[name], (declared as JsonObject)[name]));
}

function isMissing(required: unknown, declared: unknown): boolean {
  if (!isJsonObject(declared)) return true;
  return isJsonObject(required) && Object.keys(required).some((name) => declared[name] === undefined);
}
