// Errors of the invented revision: a resource that is not found has its own code.
import { errorCode, McpError } from "../../../packages/protocol/src/jsonrpc/error.ts";
import { isJsonObject } from "../../../packages/protocol/src/jsonrpc/message.ts";
import { method } from "../../../packages/protocol/src/model/methods.ts";

const resourceNotFound = -32030;

export function toClientError(name: string, error: McpError): McpError {
  const isNotFound = error.code === errorCode.invalidParams && isJsonObject(error.data) && "uri" in error.data;
  if (name !== method.readResource || !isNotFound) return error;
  return new McpError(resourceNotFound, error.message, { data: error.data, cause: error });
}

export function fromServerError(_name: string, error: McpError): McpError {
  if (error.code !== resourceNotFound) return error;
  return new McpError(errorCode.invalidParams, error.message, { data: error.data, cause: error });
}
