// JSON-RPC messages as they stand on the wire (A.1), and the parser that tells a request from a notification or a response.
import { errorCode, type JsonRpcErrorObject, McpError } from "./error.ts";

/** A string or an integer; 0 and "" are ordinary ids. */
export type RequestId = string | number;

export type JsonObject = { [key: string]: unknown };

export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: JsonObject;
}

export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

export interface JsonRpcResultResponse {
  jsonrpc: "2.0";
  id: RequestId;
  result: JsonObject;
}

export interface JsonRpcErrorResponse {
  jsonrpc: "2.0";
  /** Left out only when the id of the request could not be read. */
  id?: RequestId;
  error: JsonRpcErrorObject;
}

export type JsonRpcResponse = JsonRpcResultResponse | JsonRpcErrorResponse;
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isInteger(value));
}

export function isRequest(message: JsonRpcMessage): message is JsonRpcRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: JsonRpcMessage): message is JsonRpcNotification {
  return "method" in message && !("id" in message);
}

export function isResponse(message: JsonRpcMessage): message is JsonRpcResponse {
  return !("method" in message);
}

/** The JSON value of `text`; throws McpError -32700 when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new McpError(errorCode.parseError, "parse error: the message is not JSON");
  }
}

/**
 * One JSON-RPC message, not copied: the value itself, now typed. Throws McpError -32600 that names what was expected.
 * An error response whose id is null is accepted and loses the id. Clients of older revisions write
 * `"params": null` for a message without params (I-36): the member is then left out.
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

/** What a value is, in the words of an error message: "null", "an array", "a string". */
export function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
