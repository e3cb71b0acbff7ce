// Answers one `input_required` result: converts its input requests to the client's revision, lets input-round.ts send them all at
// once, and converts the responses to `inputResponses` (D-23, D-50).
import { errorCode, type InputRequests, type JsonObject, McpError } from "@lethe/protocol";
import { legacyErrorCode } from "@lethe/protocol/revisions";
import type { LegacySession } from "../sessions/session.ts";
import { InputRound } from "./input-round.ts";
import type { RunningCall } from "./running-call.ts";
import { type UrlElicitations, urlOf } from "./url-elicitations.ts";

export interface InputRequestOptions {
  readonly call: RunningCall;
  readonly session: LegacySession;
  readonly urlElicitations: UrlElicitations;
  /** Added to the `_meta` of each request. */
  readonly _meta?: JsonObject;
  /** For a caller that may cancel the requests. Default: a new round. */
  readonly round?: InputRound;
}

/** Resolves with the responses by key. A request that fails cancels the others. Rejects with McpError. */
export async function sendInputRequests(
  inputRequests: InputRequests,
  { call, session, urlElicitations, _meta, round }: InputRequestOptions,
): Promise<JsonObject> {
  if (!call.sink.canRequestInput) throw toUnsupportedError(inputRequests, urlElicitations);
  const { revision } = session.facts;
  const requests = round ?? new InputRound(call, session.inputRequests);
  try {
    const responses = Object.entries(inputRequests).map(async ([key, inputRequest]) => {
      const sent = revision.toClientInputRequest(inputRequest, urlElicitations.idOf(inputRequest));
      const response = await requests.send(_meta ? { ...sent, params: { ...sent.params, _meta } } : sent);
      urlElicitations.recordResponse(inputRequest, response);
      return [key, revision.fromClientInputResponse(inputRequest, response)] as const;
    });
    return Object.fromEntries(await Promise.all(responses));
  } finally {
    requests.end();
  }
}

/** D-39: a client that accepts only one JSON response can still be sent to URLs, and repeat the call. */
function toUnsupportedError(inputRequests: InputRequests, urlElicitations: UrlElicitations): McpError {
  const all = Object.values(inputRequests);
  const urls = all.filter((inputRequest) => urlOf(inputRequest) !== undefined);
  if (urls.length === 0 || urls.length < all.length) {
    return new McpError(errorCode.invalidRequest, "the call requests input: send it with Accept: text/event-stream");
  }
  const elicitations = urls.map((inputRequest) => ({
    ...inputRequest.params,
    elicitationId: urlElicitations.idOf(inputRequest),
  }));
  const message = "the user has to visit a URL before this call";
  return new McpError(legacyErrorCode.urlElicitationRequired, message, { data: { elicitations } });
}
