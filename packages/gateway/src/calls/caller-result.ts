// Turns a result or an error of an upstream into what the caller gets: with the name of the endpoint's server, the session
// handle, and no secrets of the gateway's configuration.
import {
  isInputRequired,
  isJsonObject,
  isMcpError,
  McpError,
  type ModernRequest,
  metaKey,
  method,
  type Result,
} from "@lethe/protocol";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
import type { SecretMask } from "../upstreams/connection/secret-mask.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import { withHandle } from "./session-argument.ts";

export function toCallerResult(result: Result, { request, target }: ForwardedCall, session: Session): Result {
  const { handle } = session.key;
  const serverInfo = target.serverInfo ?? gatewayInfo;
  const own: Result = { ...result, _meta: { ...result._meta, [metaKey.serverInfo]: serverInfo } };
  const isForModel = request.method === method.callTool && !isInputRequired(result);
  return handle === undefined ? own : withHandle(own, handle, isForModel);
}

/** A model that names an ended session can start a new one, so a tool call returns the error. Other errors are rethrown. */
export function toSessionGoneResult(error: unknown, request: ModernRequest): Result {
  const isGone = isMcpError(error) && isJsonObject(error.data) && error.data.reason === "session_gone";
  if (!isGone || request.method !== method.callTool) throw error;
  const content = [{ type: "text", text: error.message }];
  return { resultType: "complete", content, isError: true, _meta: { [metaKey.serverInfo]: gatewayInfo } };
}

/** Masks the message and data of a JSON-RPC error. */
export function maskError(error: unknown, mask: SecretMask): unknown {
  if (!isMcpError(error)) return error;
  const message = mask.text(error.message);
  const data = mask.value(error.data);
  if (message === error.message && data === error.data) return error;
  return withText(error, message, data);
}

/** Still says whether the request has started. */
export function withText(error: McpError, message: string, data: unknown): McpError {
  const { code, cause, refusalStatus } = error;
  return new McpError(code, message, { data, cause, ...(refusalStatus && { refusalStatus }) });
}

interface Answer {
  isError?: unknown;
  error?: unknown;
  result?: unknown;
  statusMessage?: unknown;
}

/**
 * Masks the errors inside a result: a tool's own error, and the failure of a task. Other results pass unchanged, because a tool
 * may have a reason to return what it was configured with.
 */
export function maskErrors<T extends object>(answer: T, mask: SecretMask): T {
  const { isError, error, result, statusMessage }: Answer = answer;
  if (isError === true) return mask.value(answer);
  if (error === undefined && result === undefined && statusMessage === undefined) return answer;
  const isFailure = typeof result === "object" && result !== null && (result as Answer).isError === true;
  return {
    ...answer,
    ...(error !== undefined && { error: mask.value(error) }),
    ...(statusMessage !== undefined && { statusMessage: mask.value(statusMessage) }),
    ...(isFailure && { result: mask.value(result) }),
  };
}
