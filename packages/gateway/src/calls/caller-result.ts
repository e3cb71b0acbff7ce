// An upstream's result, as the endpoint's own: with the name of the server that the endpoint is to its callers, and
// the handle of the session where there is one.
import {
  isInputRequired,
  isJsonObject,
  isMcpError,
  type ModernRequest,
  metaKey,
  method,
  type Result,
} from "@lethe/protocol";
import { gatewayInfo } from "../upstreams/connection/own-request.ts";
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

/** E-73: a model that names a session which is over can help itself, so a tool tells it; anything else is thrown again. */
export function toSessionGoneResult(error: unknown, request: ModernRequest): Result {
  const isGone = isMcpError(error) && isJsonObject(error.data) && error.data.reason === "session_gone";
  if (!isGone || request.method !== method.callTool) throw error;
  const content = [{ type: "text", text: error.message }];
  return { resultType: "complete", content, isError: true, _meta: { [metaKey.serverInfo]: gatewayInfo } };
}
