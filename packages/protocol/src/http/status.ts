// The one table from JSON-RPC error codes to HTTP status codes (A.5, A-48).
import { errorCode } from "../jsonrpc/error.ts";

const statusByCode: ReadonlyMap<number, number> = new Map([
  [errorCode.parseError, 400],
  [errorCode.invalidRequest, 400],
  [errorCode.methodNotFound, 404],
  [errorCode.headerMismatch, 400],
  [errorCode.missingClientCapability, 400],
  [errorCode.unsupportedProtocolVersion, 400],
]);

/**
 * The status of an error inside an accepted request: 200 for what the table does not name. A broken envelope is
 * -32602 with 400, which the HTTP edge decides because the code alone cannot tell it from bad method params.
 */
export function httpStatusOf(code: number): number {
  return statusByCode.get(code) ?? 200;
}
