// The HTTP status of each JSON-RPC error code (A.5, A-48).
import { errorCode } from "../jsonrpc/error.ts";

const statusByCode: ReadonlyMap<number, number> = new Map([
  [errorCode.parseError, 400],
  [errorCode.invalidRequest, 400],
  [errorCode.methodNotFound, 404],
  [errorCode.headerMismatch, 400],
  [errorCode.missingClientCapability, 400],
  [errorCode.unsupportedProtocolVersion, 400],
]);

//
/**
 * The HTTP status of an error that answers an accepted request. Codes outside of the table answer 200. A malformed envelope is
 * -32602 with status 400: the HTTP edge sets it, because the code alone does not distinguish it from malformed params.
 */
export function httpStatusOf(code: number): number {
  return statusByCode.get(code) ?? 200;
}
