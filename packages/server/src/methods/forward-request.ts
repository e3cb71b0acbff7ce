// Sends a request for a mounted feature to the server that has it, and leads its input requests and tasks back through this one.
import {
  type Dispatch,
  type Exchange,
  errorCode,
  isInputRequired,
  isMcpError,
  isTaskResult,
  type JsonObject,
  type JsonRpcNotification,
  McpError,
  type ModernRequest,
  metaKey,
  methodInfo,
  notificationMethod,
  onAbort,
  type Result,
} from "@lethe/protocol";
import type { Feature } from "../features/feature.ts";
import type { Forward } from "../features/forward.ts";
import { toFixed } from "../mounts/mounted-definition.ts";
import { toCanonicalJson } from "../seal/digest.ts";
import type { Binding } from "../seal/seal.ts";
import { sealTaskId } from "./mounted-task.ts";
import { calledBy } from "./report-error.ts";
import type { ServerParts } from "./server-parts.ts";

/** A feature of a mounted server. */
export interface ForwardedFeature {
  readonly feature: Feature;
  readonly forward: Forward;
}

/**
 * Forwards tools/call, prompts/get and resources/read. A `requestState` of the mounted server is sealed for this caller, target and
 * arguments, because the mounted server may see the same identity for all callers.
 */
export async function forwardRequest(
  parts: ServerParts,
  { feature, forward }: ForwardedFeature,
  request: ModernRequest,
  exchange: Exchange,
): Promise<Result> {
  const { fixed, ownName } = forward;
  const { arguments: args, requestState } = request.params;
  const member = methodInfo(request.method)?.target?.member ?? "name";
  const params = { ...request.params, [member]: feature.kind === "resourceTemplate" ? request.params.uri : ownName };
  if (fixed) params.arguments = toFixed((args ?? {}) as JsonObject, fixed);
  const binding: Binding = {
    callerId: exchange.caller?.id,
    method: `mounted ${request.method}`,
    target: feature.name,
    arguments: toCanonicalJson([args ?? {}, request.params.uri ?? null]),
  };
  const { seal } = parts.interaction;
  if (typeof requestState === "string") params.requestState = (await seal.open(requestState, binding)).state;
  const result = await sendForward(parts, forward, { ...request, params }, exchange);
  if (isInputRequired(result)) {
    if (typeof result.requestState !== "string") return result;
    return { ...result, requestState: await sealState(parts, result.requestState, binding) };
  }
  if (isTaskResult(result)) return sealTaskId(parts, feature.name, result, exchange.caller);
  // A private feature has private contents.
  return feature.visible && result.cacheScope === "public" ? { ...result, cacheScope: "private" } : result;
}

async function sealState(parts: ServerParts, state: string, binding: Binding): Promise<string> {
  try {
    return await parts.interaction.seal.seal({ state }, binding);
  } catch (cause) {
    throw new McpError(errorCode.internalError, "the requestState of the mounted server is too large", { cause });
  }
}

/** Sends a request under an id of its own. Hides errors of the connection, as those of a handler. */
export async function sendForward(
  parts: ServerParts,
  { dispatch, mount }: Pick<Forward, "dispatch" | "mount">,
  request: ModernRequest,
  exchange: Exchange,
): Promise<Result> {
  try {
    return withoutServerInfo(await sendAs(dispatch, request, exchange));
  } catch (error) {
    if (isMcpError(error)) throw error;
    if (exchange.signal.aborted)
      throw new McpError(errorCode.internalError, "cancelled by the caller", { cause: error });
    const errorId = parts.reportError(error, calledBy(request), exchange);
    const message = `the mounted server ${JSON.stringify(mount)} cannot be reached`;
    throw new McpError(errorCode.internalError, message, { data: { errorId }, cause: error });
  }
}

let lastId = 0;

/** Ids and progress tokens of different callers could be equal, so the request gets new ones. */
export function sendAs(dispatch: Dispatch, request: ModernRequest, exchange: Exchange): Promise<Result> {
  lastId += 1;
  const id = lastId;
  const { _meta } = request.params;
  const token = _meta.progressToken;
  if (token === undefined) return dispatch({ ...request, id }, toForwardExchange(exchange, undefined));
  const params = { ...request.params, _meta: { ..._meta, progressToken: id } };
  return dispatch({ ...request, id, params }, toForwardExchange(exchange, token));
}

/** The exchange without headers, which describe the request as it came. */
function toForwardExchange(exchange: Exchange, token: string | number | undefined): Exchange {
  return {
    get signal() {
      return exchange.signal;
    },
    onAbort: (callback) => onAbort(exchange, callback),
    caller: exchange.caller,
    conversation: exchange.conversation,
    isAnonymous: exchange.isAnonymous,
    keepsState: exchange.keepsState,
    notify: (notification) => exchange.notify(withToken(notification, token)),
    drained: () => exchange.drained(),
  };
}

function withToken(notification: JsonRpcNotification, token: string | number | undefined): JsonRpcNotification {
  if (token === undefined || notification.method !== notificationMethod.progress) return notification;
  return { ...notification, params: { ...notification.params, progressToken: token } };
}

/** The identity of the mounting server takes its place. */
function withoutServerInfo(result: Result): Result {
  const { _meta } = result;
  if (_meta === undefined || !(metaKey.serverInfo in _meta)) return result;
  const { [metaKey.serverInfo]: _, ...own } = _meta;
  const { _meta: __, ...rest } = result;
  return Object.keys(own).length > 0 ? { ...rest, resultType: result.resultType, _meta: own } : (rest as Result);
}
