// The errors of a legacy server, as a modern caller may see them (A-40 to A-42, D-52).
import { errorCode, invalidParams, McpError } from "../jsonrpc/error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ElicitUrlParams } from "../model/elicitation.ts";
import type { InputRequests } from "../model/input.ts";
import { toElicitUrlParams } from "./from-legacy-question.ts";

/** Codes that legacy servers send and modern peers do not. */
export const legacyErrorCode = {
  resourceNotFound: -32002,
  urlElicitationRequired: -32042,
} as const;

/**
 * Not found keeps its meaning under today's code (E-79). Any other code that MCP or JSON-RPC reserves for itself becomes
 * an internal error that keeps message and data: relayed as it is, -32022 would make the caller change its version.
 */
export function fromLegacyError(error: McpError, params: JsonObject): McpError {
  if (error.code === legacyErrorCode.resourceNotFound) return notFound(error, params);
  if (error.code > -32000 || error.code < -32099) return error;
  return new McpError(errorCode.internalError, error.message, { data: error.data, cause: error });
}

function notFound(error: McpError, params: JsonObject): McpError {
  const data = isJsonObject(error.data) ? error.data : {};
  return invalidParams(error.message, typeof params.uri === "string" ? { uri: params.uri, ...data } : error.data);
}

/**
 * The questions of a -32042 error (D-39), keyed by their position; undefined for any other error. The server keeps no
 * call open for them: it wants to be called again once the user has been there.
 */
export function toUrlInputRequests(error: McpError): InputRequests | undefined {
  if (error.code !== legacyErrorCode.urlElicitationRequired || !isJsonObject(error.data)) return undefined;
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations)) return undefined;
  const asked = elicitations.map(toElicitUrlParams).filter((params): params is ElicitUrlParams => params !== undefined);
  if (asked.length === 0) return undefined;
  return Object.fromEntries(
    asked.map((params, index) => [`url${index + 1}`, { method: "elicitation/create", params }]),
  );
}
