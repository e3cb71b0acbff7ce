// Multi round-trip requests (E.3): what a server asks and what comes back.
import type { Result } from "../meta/result.ts";
import type { ElicitRequest, ElicitResult } from "./elicitation.ts";
import type { ListRootsRequest, ListRootsResult } from "./roots.ts";
import type { CreateMessageRequest, CreateMessageResult } from "./sampling.ts";

/** One question (E-22). Not a JSON-RPC request: no id, no `jsonrpc`, no required `_meta`. */
export type InputRequest = ElicitRequest | CreateMessageRequest | ListRootsRequest;

/** Keys are chosen by the server and unique within one result. */
export type InputRequests = { [key: string]: InputRequest };

/** The same, each with `params`: `roots/list` may leave it out, but some clients cannot parse an entry without it. */
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

/** The answers have no discriminator: read each by the method that was asked under its key (J-76). */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;
export type InputResponses = { [key: string]: InputResponse };

/** E-21: at least one of `inputRequests` and `requestState` is there. */
export interface InputRequiredResult extends Result {
  resultType: "input_required";
  inputRequests?: InputRequests;
  requestState?: string;
}

export function isInputRequired(result: Result): result is InputRequiredResult {
  return result.resultType === "input_required";
}
