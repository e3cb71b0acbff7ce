// JSON-RPC messages (A.1), and the parser that distinguishes requests, notifications and responses.
import { errorCode, type JsonRpcErrorObject, McpError } from "./error.ts";

//
/** A string or an integer. 0 and "" are valid ids. */
export type RequestId = string | number;

/** A JSON object. */
export type JsonObject = { [key: string]: unknown };

/** A request. */
export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: JsonObject;
}

/** A notification. */
export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

/** A response with a result. */
export interface JsonRpcResultResponse {
  jsonrpc: "2.0";
  id: RequestId;
  result: JsonObject;
}

/** A response with an error. */
export interface JsonRpcErrorResponse {
  jsonrpc: "2.0";
  //
  /** Absent only if the id of the request could not be read. */
  id?: RequestId;
  error: JsonRpcErrorObject;
}

/** A response. */
export type JsonRpcResponse = JsonRpcResultResponse | JsonRpcErrorResponse;
/** Any JSON-RPC message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** True for objects that are neither null nor arrays. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a valid request id. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
}

/** True for a request. */
export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message;
}

/** True for a notification. */
export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return "method" in message && !("id" in message);
}

/** True for a response. */
export function isResponse(message: JsonRpcMessage): message is JsonRpcResponse {
  return !("method" in message);
}

/** Parses JSON. Throws McpError -32700 for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const mark = text.startsWith("\ufeff") ? ", because it begins with a byte order mark" : "";
    throw new McpError(errorCode.parseError, `parse error: the message is not JSON${mark}`);
  }
}

// A-5, I-36
/**
 * Checks one JSON-RPC message and returns the value itself, typed. Throws McpError -32600 that names the expected form. An
 * error response with id null loses the id. `"params": null`, which clients of older revisions write, is removed.
 */
export function parseMessage(value: unknown): JsonRpcMessage {
  if (!isJsonObject(value)) throw invalid(`one JSON object expected, got ${nameOf(value)}`);
  if (value.jsonrpc !== "2.0") throw invalid('member "jsonrpc" must be "2.0"');
  if (typeof value.method === "string") {
    if ("id" in value && !isRequestId(value.id)) throw invalid('member "id" must be a string or an integer');
    const params = value.params;
    if (params === null) return withoutParams(value);
    if (params !== undefined && !isJsonObject(params))
      throw invalid(`member "params" must be an object, got ${nameOf(params)}`);
    return value as unknown as JsonRpcRequest | JsonRpcNotification;
  }
  if ("method" in value) throw invalid('member "method" must be a string');
  if ("result" in value) return parseResultResponse(value);
  if ("error" in value) return parseErrorResponse(value);
  throw invalid('a "method", a "result" or an "error" expected');
}

function withoutParams({ params: _, ...message }: JsonObject): JsonRpcRequest | JsonRpcNotification {
  return message as unknown as JsonRpcRequest | JsonRpcNotification;
}

function parseResultResponse(value: JsonObject): JsonRpcResultResponse {
  if (!isRequestId(value.id)) throw invalid('member "id" must be a string or an integer');
  if (!isJsonObject(value.result)) throw invalid('member "result" must be an object');
  return value as unknown as JsonRpcResultResponse;
}

function parseErrorResponse(value: JsonObject): JsonRpcErrorResponse {
  const { id, error } = value;
  if (!isJsonObject(error) || typeof error.code !== "number" || typeof error.message !== "string") {
    throw invalid('member "error" must hold a numeric "code" and a string "message"');
  }
  if (id === undefined || id === null) return { jsonrpc: "2.0", error: error as unknown as JsonRpcErrorObject };
  if (!isRequestId(id)) throw invalid('member "id" must be a string or an integer');
  return value as unknown as JsonRpcErrorResponse;
}

function invalid(expectation: string): McpError {
  return new McpError(errorCode.invalidRequest, `invalid request: ${expectation}`);
}

/** The type of a value for error messages: "null", "an array", "a string". */
export function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
