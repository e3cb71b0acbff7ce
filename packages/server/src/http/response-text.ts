// The JSON text of a response, put together around a result that may be serialised already.
import { errorCode, type McpError, type RequestId, type Result, toErrorObject, toResultText } from "@lethe/protocol";

export function toResponseText(id: RequestId, result: Result): string {
  return `{"jsonrpc":"2.0","id":${toIdText(id)},"result":${toResultText(result)}}`;
}

/** Without an id when the request's own could not be read. Never throws: an error that is no JSON is an internal one. */
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
