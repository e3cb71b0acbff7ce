// Multi round-trip requests (E.3): input requests of a server, and the responses to them.

import { type ClientCapabilities, canElicit } from "../meta/capabilities.ts";
import type { Result } from "../meta/result.ts";
import { type ElicitRequest, type ElicitResult, isElicitResult } from "./elicitation.ts";
import { isListRootsResult, type ListRootsRequest, type ListRootsResult } from "./roots.ts";
import { type CreateMessageRequest, type CreateMessageResult, isCreateMessageResult } from "./sampling.ts";

// E-22, A-9
/** An elicitation, sampling or roots request. It is not a JSON-RPC request: it has no id, no `jsonrpc` and no required `_meta`. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** Input requests by key. The server chooses the keys, which are unique within one result. */
export type InputRequests = { [key: string]: InputRequest };

/** Adds `params` to each request without them. `roots/list` may omit them, but some clients cannot parse such an entry. */
export function withParams(requests: InputRequests): InputRequests {
  const entries = Object.entries(requests);
  if (entries.every(([, { params }]) => params)) return requests;
  return Object.fromEntries(
    entries.map(([key, request]) => [
      key,
      request.method === "roots/list" && !request.params ? { ...request, params: {} } : request,
    ]),
  );
}

// J-76
/** A response has no discriminator: the method of the request with the same key determines its type. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
/** Input responses, with the keys of their input requests. */
export type InputResponses = { [key: string]: InputResponse };

// E-21
/** A result that asks for input. It has `inputRequests`, `requestState`, or both. */
export interface InputRequiredResult extends Result {
  resultType: "input_required";
  inputRequests?: InputRequests;
  requestState?: string;
}

/** True for a result that asks for input. */
export function isInputRequired(result: Result): result is InputRequiredResult {
  return result.resultType === "input_required";
}

const isResponse: Readonly<Record<InputRequest["method"], (value: unknown) => boolean>> = {
  "elicitation/create": isElicitResult,
  "sampling/createMessage": isCreateMessageResult,
  "roots/list": isListRootsResult,
};

/** True for the methods of elicitation, sampling and roots requests. */
export function isInputRequestMethod(method: string): method is InputRequest["method"] {
  return Object.hasOwn(isResponse, method);
}

/** True if `value` has the shape of a response to `method`. The asker validates the content. */
export function isInputResponseTo(method: InputRequest["method"], value: unknown): boolean {
  // E-29
  return isResponse[method](value);
}

/** The capabilities that a client lacks for an input request; undefined if it has them all. */
export function missingCapabilitiesFor(
  request: InputRequest,
  capabilities: ClientCapabilities,
): ClientCapabilities | undefined {
  // E-23
  switch (request.method) {
    case "roots/list":
      return capabilities.roots ? undefined : { roots: {} };
    case "elicitation/create": {
      const mode = request.params.mode === "url" ? "url" : "form";
      return canElicit(capabilities, mode) ? undefined : { elicitation: { [mode]: {} } };
    }
    case "sampling/createMessage":
      if (!capabilities.sampling) return { sampling: {} };
      if (!request.params.tools || capabilities.sampling.tools) return undefined;
      return { sampling: { tools: {} } };
  }
}
