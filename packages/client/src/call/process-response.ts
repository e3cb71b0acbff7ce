// Parses the response to a modern request: pure functions from a response to a Result, McpError or TransportError.
// The counterpart is build-request.ts.
import {
  clientCapabilitiesOf,
  declaresTasks,
  isInputMethod,
  isJsonObject,
  isRequest,
  isResponse,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcResponse,
  McpError,
  type ModernRequest,
  method,
  methodInfo,
  nameOf,
  parseMessage,
  protocolVersionOf,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import { isLaterRevision } from "@lethe/protocol/revisions";
import { readJson } from "./read-messages.ts";
import { excerptOf, isTransportError, TransportError } from "./transport-error.ts";

/** The request that a response must match. */
export interface Expectation {
  /** The server's name in error messages: its URL or command line. */
  readonly server: string;
  readonly method: string;
  /** The id on the wire. */
  readonly id: RequestId;
  /** Result types that a declared extension adds to this method, for example "task". */
  readonly extraResultTypes?: readonly string[] | undefined;
  /** The revision is later than ours, so that its methods may have results that ours do not have. Default false. */
  readonly isLater?: boolean | undefined;
}

/** An HTTP response whose body has been read. */
export interface HttpReply {
  readonly status: number;
  /** The `content-type` header. */
  readonly contentType: string | undefined;
  readonly text: string;
  /** From the `retry-after` header, in ms. */
  readonly retryAfterMs?: number | undefined;
}

const taskTypes: readonly string[] = ["task"];

/** What the response to a request may be. `id` is the one on the wire. */
export function toExpectation(server: string, id: RequestId, request: ModernRequest): Expectation {
  const isLater = isLaterRevision(protocolVersionOf(request));
  return { server, method: request.method, id, extraResultTypes: extraResultTypesOf(request), isLater };
}

/** A tool call that declares the tasks extension may return a task. */
function extraResultTypesOf(request: ModernRequest): readonly string[] | undefined {
  if (request.method !== method.callTool) return undefined;
  return declaresTasks(clientCapabilitiesOf(request)) ? taskTypes : undefined;
}

/**
 * Accepts a JSON-RPC error with our id under any status except 401, which a guard in front of the server sends
 *, and a result only under 200. Any other response is a TransportError that names the server, the method
 * and the response.
 */
export function processHttpReply(reply: HttpReply, expected: Expectation): Result {
  const message = isJsonContent(reply.contentType) ? readMessage(reply.text, expected) : undefined;
  if (message === undefined || !isResponse(message) || reply.status === 401)
    throw toStatusError(reply, expected, message);
  if ("result" in message && reply.status !== 200) throw toStatusError(reply, expected);
  return processResponse(message, expected);
}

/** The result of a response to our request. Throws McpError for an error of the server. */
export function processResponse(response: JsonRpcResponse, expected: Expectation): Result {
  if ("error" in response) {
    if (response.id !== undefined && response.id !== expected.id) throw wrongId(response.id, expected);
    const { code, message, data } = response.error;
    throw new McpError(code, message, { data });
  }
  if (response.id !== expected.id) throw wrongId(response.id, expected);
  return processResult(response.result as Result, expected);
}

// an absent result type means "complete"; an unknown one makes the response invalid.
function processResult(result: Result, expected: Expectation): Result {
  const { resultType } = result;
  if (resultType === "complete") return result;
  if (resultType === undefined) {
    (result as Result).resultType = "complete";
    return result;
  }
  const { isLater = false } = expected;
  if (resultType === "input_required" && (isLater || isInputMethod(expected.method)))
    return requireQuestion(result, expected);
  if (expected.extraResultTypes?.includes(resultType)) return result;
  if (isOwnType(resultType) && (isLater || methodInfo(expected.method) === undefined)) return result;
  const shown = typeof resultType === "string" ? excerptOf(resultType) : nameOf(resultType);
  throw invalid(expected, `a result type that ${expected.method} may have`, shown);
}

/** An extension or a later revision defines its methods, and with them the types of their results. Those of the core keep their meaning. */
function isOwnType(resultType: unknown): boolean {
  return typeof resultType === "string" && resultType !== "input_required" && !taskTypes.includes(resultType);
}

// E-21
function requireQuestion(result: Result, expected: Expectation): Result {
  const { inputRequests, requestState } = result;
  if (inputRequests === undefined && requestState === undefined) {
    throw invalid(expected, "inputRequests or requestState in an input_required result", "neither");
  }
  if (inputRequests !== undefined && !isJsonObject(inputRequests)) {
    throw invalid(expected, "inputRequests to be an object", nameOf(inputRequests));
  }
  if (requestState !== undefined && typeof requestState !== "string") {
    throw invalid(expected, "requestState to be a string", nameOf(requestState));
  }
  return result;
}

/**
 * Parses one message of the stream that answers `expected`: a notification to forward, a response, or undefined for a
 * message that clients drop (servers send no requests). Throws TransportError for anything else.
 */
export function processStreamMessage(
  text: string,
  expected: Expectation,
): JsonRpcNotification | JsonRpcResponse | undefined {
  const message = readMessage(text, expected);
  if (message === undefined) throw invalid(expected, "a JSON-RPC message", excerptOf(text));
  return isRequest(message) ? undefined : message;
}

/** Undefined if the text is no JSON-RPC message. Throws TransportError "too_deep". */
function readMessage(text: string, { server, method: name }: Expectation): JsonRpcMessage | undefined {
  try {
    return parseMessage(readJson(text, `${name} to ${server}`));
  } catch (error) {
    if (isTransportError(error)) throw error;
    return undefined;
  }
}

function isJsonContent(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/json\s*(;|$)/i.test(contentType);
}

function toStatusError(reply: HttpReply, expected: Expectation, body?: JsonRpcMessage): TransportError {
  const { status, contentType, text, retryAfterMs } = reply;
  const said =
    body && "error" in body ? excerptOf(body.error.message) : `${contentType ?? "no content type"}, ${excerptOf(text)}`;
  const came = `status ${status}, ${said}`;
  if (status === 401 || status === 403) {
    return new TransportError("unauthorized", `${expected.server} refused ${expected.method}: ${came}`, { status });
  }
  const reason = status >= 200 && status < 300 ? "invalid" : "status";
  const message = describe(expected, "a JSON-RPC response", came);
  return new TransportError(reason, message, retryAfterMs === undefined ? { status } : { status, retryAfterMs });
}

function wrongId(id: RequestId, expected: Expectation): TransportError {
  return invalid(expected, `a response with id ${JSON.stringify(expected.id)}`, `id ${excerptOf(String(id))}`);
}

function invalid(expected: Expectation, due: string, came: string): TransportError {
  return new TransportError("invalid", describe(expected, due, came));
}

function describe({ server, method: name }: Expectation, due: string, came: string): string {
  return `${name} to ${server}: expected ${due}, got ${came}`;
}
