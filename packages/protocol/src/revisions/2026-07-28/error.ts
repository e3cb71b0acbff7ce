// Errors of 2026-07-28 are those of the model. Servers of its drafts used other codes (I-1 to I-3).
import { errorCode, McpError } from "../../jsonrpc/error.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import type { InputRequests } from "../../model/input.ts";

/** Servers use these codes for other purposes too, so the message or the data must agree with the code. */
const draftCode = {
  headerMismatch: -32001,
  missingClientCapability: -32003,
  unsupportedProtocolVersion: -32004,
} as const;

export function toClientError(_method: string, error: McpError): McpError {
  return error;
}

export function fromServerError(_method: string, error: McpError): McpError {
  return fromDraftError(error);
}

/** Replaces a draft's error code by its final code. Returns `error` itself if its code is final. */
export function fromDraftError(error: McpError): McpError {
  const code = finalCodeOf(error);
  if (code === error.code) return error;
  return new McpError(code, error.message, { data: error.data, cause: error });
}

function finalCodeOf({ code, message, data }: McpError): number {
  const detail = isJsonObject(data) ? data : {};
  switch (code) {
    case draftCode.headerMismatch:
      return /header ?mismatch/i.test(message) ? errorCode.headerMismatch : code;
    case draftCode.missingClientCapability:
      return isJsonObject(detail.requiredCapabilities) ? errorCode.missingClientCapability : code;
    case draftCode.unsupportedProtocolVersion:
    case errorCode.invalidParams:
      return Array.isArray(detail.supported) ? errorCode.unsupportedProtocolVersion : code;
    default:
      return code;
  }
}

/** URL elicitations are input requests in a result, never an error. */
export function urlInputRequestsOf(): InputRequests | undefined {
  return undefined;
}
