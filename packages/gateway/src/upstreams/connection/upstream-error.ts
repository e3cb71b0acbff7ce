// What goes wrong between the gateway and an upstream, as a caller may see it (A-46, D-52): which upstream, and what to do.
import { isTransportError, type TransportErrorReason } from "@lethe/client";
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

/** `data.reason` of the -32603 that says it. */
export type UpstreamFailure =
  /** It is not running, or cannot be reached. The request has not begun. */
  | "unavailable"
  /** Too much is going on. The request has not begun. */
  | "busy"
  /** It ended or broke off in the middle: the request may have been carried out. */
  | "lost"
  /** It did not answer in time: the request may have been carried out. */
  | "timeout"
  /** It does not let the gateway in. */
  | "unauthorized"
  /** Its answer is none. */
  | "invalid"
  /** The call that asked its caller is not there any more, and has not been run again. */
  | "call_gone"
  /** The session that a handle names is over. */
  | "session_gone"
  /** The tool needs the older era of its upstream, which the next call uses. This call may have been carried out in part. */
  | "era_switched"
  /** It asks in the middle of a call, but keeps no session in which the answer could reach it. The request has begun. */
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

/** For discover and lists, which a client asks first: over HTTP it answers 503 with `Retry-After`. */
export function upstreamOutage(upstream: string, what: string, retryAfterMs: number): McpError {
  return overloaded(`upstream "${upstream}" ${what}`, retryAfterMs, { reason: "unavailable", upstream });
}

/** Why a start failed, as far as callers may know: what the server wrote is for the operator. "" where no word fits. */
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

/** What went wrong on the way to the replica that keeps a session. */
export function toReplicaFailure(upstream: string, error: ReplicaError): McpError {
  const { reason, message, retryAfterMs } = error;
  return upstreamError(upstream, reason === "too_large" ? "invalid" : reason, message, {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/** The same; whatever else was thrown there goes on as it is. */
export function throwReplicaFailure(upstream: string, error: unknown): never {
  throw isReplicaError(error) ? toReplicaFailure(upstream, error) : error;
}

/** `declared` is what the caller of the failed request said of itself. */
export function toCallerError(upstream: string, error: unknown, declared: ClientCapabilities): McpError {
  if (isTransportError(error)) {
    const [reason, what] = (error.reason === "status" && ofStatus(error.status)) || failures[error.reason];
    const { retryAfterMs } = error;
    return upstreamError(upstream, reason, what, { cause: error, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  }
  // What the caller sent cannot be written down again: nothing of it has left.
  if (error instanceof RangeError) return invalidParams("the params are nested too deep to be passed on");
  if (!isMcpError(error)) return upstreamError(upstream, "invalid", "could not be asked", { cause: error });
  const final = fromDraftError(error);
  if (final.code === errorCode.missingClientCapability && isLacking(declared, final.data)) return final;
  if (!aboutOurRequest.has(final.code)) return error;
  return upstreamError(upstream, "invalid", "refused what the gateway made of the request", { cause: error });
}

const takesTurns =
  "does not say which call asks its caller, so calls that may ask take turns, and one of another caller was in progress for " +
  "too long; the operator can name the tools that ask (elicits), raise sessions.turnWaitMs, or allow more processes " +
  "(sessions.maxShared)";
const asksWithoutSession =
  "asks its caller in the middle of a call, but has no session that could take the answer; run the server with sessions " +
  "(FastMCP: stateless_http=False, TypeScript SDK: a sessionIdGenerator)";

const failures: Readonly<Record<TransportErrorReason, readonly [UpstreamFailure, string]>> = {
  unreachable: ["unavailable", "cannot be reached"],
  lost: ["lost", "broke off while it answered; the request may have been carried out"],
  timeout: ["timeout", "did not answer in time; the request may have been carried out"],
  busy: ["busy", takesTurns],
  too_many_pending: ["busy", "asks, but too many calls wait for an answer already"],
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

/** What an application, or a proxy in front of it, says of a request; undefined where it cannot have reached a server. */
function ofStatus(status: number | undefined): readonly [UpstreamFailure, string] | undefined {
  if (status === 429) return ["busy", "has too much to do"];
  if (status === 503) return ["unavailable", "is out of service"];
  if (status === undefined || status < 500) return undefined;
  return ["lost", `failed with status ${status}; the request may have been carried out`];
}

/** A connection that could not be opened because the server, or its process, went away meanwhile. */
export function hasEnded(error: unknown): boolean {
  const cause = isMcpError(error) ? error.cause : error;
  return isTransportError(cause) && (cause.reason === "lost" || cause.reason === "unreachable");
}

/** True for what says that an upstream does not work, and not only that this request has failed. */
export function isOutage(error: unknown, requested: string): boolean {
  if (!isTransportError(error)) return false;
  // A tool takes as long as it takes: who calls a slow one does not shut its server off for others.
  const isSlow = error.reason === "timeout" || error.status === 504;
  if (isSlow && requested === method.callTool) return false;
  if (error.status === 429) return false;
  return outages.has(error.reason);
}

const outages: ReadonlySet<TransportErrorReason> = new Set(["unreachable", "lost", "timeout", "status", "invalid"]);

/** D-52: the gateway wrote the headers, the version and the capabilities that are refused. */
const aboutOurRequest: ReadonlySet<number> = new Set([
  errorCode.headerMismatch,
  errorCode.missingClientCapability,
  errorCode.unsupportedProtocolVersion,
]);

/** J-65: what the caller did declare and the upstream misses was lost on the way, which is not the caller's fault. */
function isLacking(declared: ClientCapabilities, data: unknown): boolean {
  const required = isJsonObject(data) && isJsonObject(data.requiredCapabilities) ? data.requiredCapabilities : {};
  return Object.keys(required).some((name) => isMissing(required[name], (declared as JsonObject)[name]));
}

function isMissing(required: unknown, declared: unknown): boolean {
  if (!isJsonObject(declared)) return true;
  return isJsonObject(required) && Object.keys(required).some((name) => declared[name] === undefined);
}
