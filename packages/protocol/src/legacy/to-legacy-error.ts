// The errors of a modern core, as a legacy client knows them (A.5, D-28, D-50, D-52). The same for all four revisions.
import { errorCode, McpError } from "../jsonrpc/error.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { method } from "../model/method.ts";
import { declaresTasks } from "../model/tasks.ts";
import { legacyErrorCode } from "./from-legacy-error.ts";

/**
 * A missing client capability is a param that the client cannot change in this session (-32602); what it lacks stays in
 * `data`. Errors about headers and versions concern a request that the edge has made: to its client they are internal.
 */
export function toLegacyError(calledMethod: string, error: McpError): McpError {
  const code = toLegacyCode(calledMethod, error);
  return code === error.code ? error : new McpError(code, error.message, { data: toLegacyData(error), cause: error });
}

/** Extensions are left out of what is missing: no client of that time can declare one. */
function toLegacyData({ code, data }: McpError): unknown {
  if (code !== errorCode.missingClientCapability || !isJsonObject(data)) return data;
  const { requiredCapabilities } = data;
  if (!isJsonObject(requiredCapabilities)) return data;
  const { extensions: _, ...required } = requiredCapabilities;
  return Object.keys(required).length === 0 ? undefined : { ...data, requiredCapabilities: required };
}

function toLegacyCode(calledMethod: string, { code, data }: McpError): number {
  switch (code) {
    case errorCode.invalidParams:
      return calledMethod === method.readResource && isJsonObject(data) && typeof data.uri === "string"
        ? legacyErrorCode.resourceNotFound
        : code;
    case errorCode.missingClientCapability:
      return lacksTasks(data) ? errorCode.methodNotFound : errorCode.invalidParams;
    case errorCode.headerMismatch:
    case errorCode.unsupportedProtocolVersion:
      return errorCode.internalError;
    default:
      return code;
  }
}

/** True for the error of a tool that runs only as a task, when its call did not declare tasks (D-38, F-3). */
export function isTaskRequired(error: McpError): boolean {
  return error.code === errorCode.missingClientCapability && lacksTasks(error.data);
}

function lacksTasks(data: unknown): boolean {
  const required = isJsonObject(data) ? data.requiredCapabilities : undefined;
  return isJsonObject(required) && declaresTasks(required);
}
