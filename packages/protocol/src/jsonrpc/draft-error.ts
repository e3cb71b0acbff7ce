// Error codes of drafts of revision 2026-07-28, read as the codes of the final revision (I-1 to I-3).
import { errorCode, McpError } from "./error.ts";
import { isJsonObject } from "./message.ts";

/** Servers use these codes for other purposes too, so a code alone is no evidence: the message or the data must agree. */
const draftCode = {
  headerMismatch: -32001,
  missingClientCapability: -32003,
  unsupportedProtocolVersion: -32004,
} as const;

/** The error under its final code. An error that is no draft spelling is returned as it is. */
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
