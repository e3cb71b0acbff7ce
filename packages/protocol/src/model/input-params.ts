// Params that the retry of a multi round-trip request adds to the original params (E-24).
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { expectOptionalObject, expectOptionalString } from "./expect.ts";

// E-24, E-29
/** Params that a retry adds to the original params. The responses are untrusted until they are validated. */
export interface InputParams {
  inputResponses?: JsonObject;
  requestState?: string;
}

/** Throws McpError -32602 for malformed members. `inputResponses: null` counts as absent, so the input is requested again. */
export function parseInputParams(params: JsonObject): InputParams {
  const input: InputParams = {};
  if (params.inputResponses !== undefined && params.inputResponses !== null) {
    const responses = expectOptionalObject(params, "inputResponses");
    if (responses) input.inputResponses = responses;
  }
  const state = expectOptionalString(params, "requestState");
  if (state !== undefined) input.requestState = state;
  return input;
}

/** The response with this key; undefined for null and for inherited members such as "constructor". */
export function answerUnder(key: string, responses: JsonObject | undefined): unknown {
  return responses && Object.hasOwn(responses, key) ? (responses[key] ?? undefined) : undefined;
}

/** True for the params of a retry. */
export function isRetry(params: JsonObject): boolean {
  return params.requestState !== undefined || isJsonObject(params.inputResponses);
}
