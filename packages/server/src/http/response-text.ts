// Builds the JSON text of a response around a result that may already be serialised.
import { errorCode, type McpError, type RequestId, type Result, toErrorObject, toResultText } from "@lethe/protocol";

export function toResponseText(id: RequestId, result: Result): string {
  return `{"jsonrpc":"2.0","id":${toIdText(id)},"result":${toResultText(result)}}`;
}

/** `id` is undefined if the request has no readable id. Never throws: an error that cannot be serialised becomes "internal error". */
export function toErrorText(id: RequestId | undefined, error: McpError): string {
  const text = toJson(error);
  return id === undefined
    ? `{"jsonrpc":"2.0","error":${text}}`
    : `{"jsonrpc":"2.0","id":${toIdText(id)},"error":${text}}`;
}

function toIdText(id: RequestId): string {
  return typeof id === "number" ? `${id}` : JSON.stringify(id);
}

function toJson(error: McpError): string {
  try {
    return JSON.stringify(toErrorObject(error));
  } catch {
    return JSON.stringify({ code: errorCode.internalError, message: "internal error" });
  }
}
