// What the retry of a multi round-trip request brings beside its original params (E-24).
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { expectOptionalObject, expectOptionalString } from "./expect.ts";

/** What a retry carries beside the original params (E-24). The answers are hostile until checked (E-29). */
export interface InputParams {
  inputResponses?: JsonObject;
  requestState?: string;
}

/** `inputResponses: null` counts as absent: the question is then simply asked again. */
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

/** Null is no answer, and neither is what every object has under a name like "constructor". */
export function answerUnder(key: string, responses: JsonObject | undefined): unknown {
  return responses && Object.hasOwn(responses, key) ? (responses[key] ?? undefined) : undefined;
}

export function isRetry(params: JsonObject): boolean {
  return params.requestState !== undefined || isJsonObject(params.inputResponses);
}
