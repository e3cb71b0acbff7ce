// Translates an elicitation, sampling or roots request of a legacy server, or returns the reason why the caller cannot handle it.
import {
  type ClientCapabilities,
  errorCode,
  type InputRequest,
  isInputRequestMethod,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  missingCapabilitiesFor,
} from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";

export type ReadInputRequest =
  | { readonly input: InputRequest; readonly refused?: undefined }
  | { readonly input?: undefined; readonly refused: JsonRpcErrorObject };

/** `isForLegacy`: the request is on its way to a client of an older revision. */
export function readInputRequest(
  { method, params }: JsonRpcRequest,
  revision: Revision,
  capabilities: ClientCapabilities,
  isForLegacy = false,
): ReadInputRequest {
  if (!isInputRequestMethod(method)) return refuse(errorCode.methodNotFound, `no method ${method}`);
  const input = revision.fromServerInputRequest(method, params, capabilities, isForLegacy);
  if (!input) return refuse(errorCode.invalidParams, `invalid params of ${method}`);
  if (!missingCapabilitiesFor(input, capabilities)) return { input };
  const code = method === "elicitation/create" ? errorCode.invalidParams : errorCode.methodNotFound;
  return refuse(code, `the caller does not support this ${method}`);
}

/** The response of a client whose user rejects an input request or does not reply. */
export function rejection(message: string): JsonRpcErrorObject {
  return { code: -1, message };
}

function refuse(code: number, message: string): ReadInputRequest {
  return { refused: { code, message } };
}
