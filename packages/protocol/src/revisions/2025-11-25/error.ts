// Errors of 2025-11-25, the same in all revisions with a handshake (A.5, A-40 to A-42, D-28, D-52).
import { errorCode, invalidParams, McpError } from "../../jsonrpc/error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ElicitUrlParams } from "../../model/elicitation.ts";
import type { InputRequests } from "../../model/input.ts";
import { method } from "../../model/methods.ts";
import { declaresTasks } from "../../model/tasks.ts";
import { toElicitUrlParams } from "./input-request.ts";

/** Error codes of revisions with a handshake that later revisions do not use. */
export const legacyErrorCode = {
  resourceNotFound: -32002,
  urlElicitationRequired: -32042,
} as const;

/**
 * A missing client capability becomes -32602, because the client cannot change it within the session; `data` keeps the
 * capabilities. Header and version errors become -32603, because they concern a request that the edge has made.
 */
export function toClientError(calledMethod: string, error: McpError): McpError {
  const code = toClientCode(calledMethod, error);
  return code === error.code ? error : new McpError(code, error.message, { data: toClientData(error), cause: error });
}

/** Leaves out extensions: no client of these revisions can declare one. */
function toClientData({ code, data }: McpError): unknown {
  if (code !== errorCode.missingClientCapability || !isJsonObject(data)) return data;
  const { requiredCapabilities } = data;
  if (!isJsonObject(requiredCapabilities)) return data;
  const { extensions: _, ...required } = requiredCapabilities;
  return Object.keys(required).length === 0 ? undefined : { ...data, requiredCapabilities: required };
}

function toClientCode(calledMethod: string, { code, data }: McpError): number {
  switch (code) {
    case errorCode.invalidParams:
      return calledMethod === method.readResource && isJsonObject(data) && typeof data.uri === "string"
        ? legacyErrorCode.resourceNotFound
        : code;
    case errorCode.missingClientCapability:
      return requiresTasks(data) ? errorCode.methodNotFound : errorCode.invalidParams;
    case errorCode.headerMismatch:
    case errorCode.unsupportedProtocolVersion:
      return errorCode.internalError;
    default:
      return code;
  }
}

/** True if a tool that runs only as a task rejected a call that did not declare tasks. */
export function isTaskRequired(error: McpError): boolean {
  // D-38, F-3
  return error.code === errorCode.missingClientCapability && requiresTasks(error.data);
}

function requiresTasks(data: unknown): boolean {
  const required = isJsonObject(data) ? data.requiredCapabilities : undefined;
  return isJsonObject(required) && declaresTasks(required);
}

// E-79
/**
 * "Resource not found" keeps its meaning under its later code. Any other code that MCP or JSON-RPC reserves becomes
 * -32603 with the same message and data: a forwarded -32022 would make the caller change its version.
 */
export function fromServerError(_method: string, error: McpError, params: JsonObject): McpError {
  if (error.code === legacyErrorCode.resourceNotFound) return notFound(error, params);
  if (error.code > -32000 || error.code < -32099) return error;
  return new McpError(errorCode.internalError, error.message, { data: error.data, cause: error });
}

function notFound(error: McpError, params: JsonObject): McpError {
  const data = isJsonObject(error.data) ? error.data : {};
  return invalidParams(error.message, typeof params.uri === "string" ? { uri: params.uri, ...data } : error.data);
}

// D-39
/**
 * The URL elicitations of error -32042, keyed by their position. The server keeps no call open: it expects the client
 * to repeat the call after its user has visited the URLs.
 */
export function urlInputRequestsOf(error: McpError): InputRequests | undefined {
  if (error.code !== legacyErrorCode.urlElicitationRequired || !isJsonObject(error.data)) return undefined;
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations)) return undefined;
  const urls = elicitations.map(toElicitUrlParams).filter((params): params is ElicitUrlParams => params !== undefined);
  if (urls.length === 0) return undefined;
  return Object.fromEntries(urls.map((params, index) => [`url${index + 1}`, { method: "elicitation/create", params }]));
}
