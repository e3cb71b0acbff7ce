// A request of a legacy server, as a question to the caller who can be asked it (D-23), or why it is none.
import {
  type ClientCapabilities,
  errorCode,
  type InputRequest,
  invalidParams,
  isInputRequestMethod,
  isInputResponseTo,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  missingCapabilitiesFor,
} from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";

export type ReadInputRequest =
  | { readonly input: InputRequest; readonly refused?: undefined }
  | { readonly input?: undefined; readonly refused: JsonRpcErrorObject };

/** `isForLegacy`: a proxy asks on behalf of a client of an older revision. */
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

/** The answers among `responses`, by key; null is none. Throws McpError -32602 for one that does not fit its question (E-29). */
export function readAnswers(
  questions: ReadonlyMap<string, { readonly input: InputRequest }>,
  responses: JsonObject,
): Map<string, JsonObject> {
  const answers = new Map<string, JsonObject>();
  for (const [key, { input }] of questions) {
    const answer = responses[key];
    if (answer === undefined || answer === null) continue;
    if (!isInputResponseTo(input.method, answer))
      throw invalidParams(`inputResponses.${key} is no answer to ${input.method}`);
    answers.set(key, answer as JsonObject);
  }
  return answers;
}

/** What a client says when its user, or whoever stands in, does not answer (D-23). */
export function rejection(message: string): JsonRpcErrorObject {
  return { code: -1, message };
}

function refuse(code: number, message: string): ReadInputRequest {
  return { refused: { code, message } };
}
