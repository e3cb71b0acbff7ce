// Runs one request of a legacy session and produces the text of its response.
import type { JsonRpcRequest } from "@lethe/protocol";
import { isInternal, toWireError } from "../../http/answers.ts";
import { toErrorText } from "../../http/response-text.ts";
import type { MessageSink } from "../calls/running-call.ts";
import { RunningCall } from "../calls/running-call.ts";
import type { LegacySession } from "../sessions/session.ts";
import type { LegacyContext, Peer } from "../shared/legacy-context.ts";
import { answerRequest } from "./answer-request.ts";

/** The response to a request. `thrown` is the error, for transports that show it in an HTTP status or header. */
export interface LegacyResponse {
  readonly text: string;
  readonly thrown?: unknown;
}

export interface RequestTarget {
  readonly session: LegacySession;
  readonly sink: MessageSink;
  readonly peer: Peer;
  readonly context: LegacyContext;
}

/** Calls `respond` once: with undefined as soon as the request is cancelled, because a cancelled request gets no response. */
export function runRequest(
  request: JsonRpcRequest,
  { session, sink, peer, context }: RequestTarget,
  respond: (response: LegacyResponse | undefined) => void,
): void {
  const call = new RunningCall(session.facts, sink, peer);
  const { revision } = session.facts;
  const toFailure = (thrown: unknown): LegacyResponse => {
    if (isInternal(thrown)) context.settings.onError(thrown);
    return { text: toErrorText(request.id, revision.toClientError(request.method, toWireError(thrown))), thrown };
  };
  try {
    session.begin(request.id, call);
  } catch (thrown) {
    respond(toFailure(thrown));
    return;
  }
  let isAborted = false;
  const end = (response: LegacyResponse | undefined): void => {
    session.finish(request.id, call);
    respond(response);
  };
  call.onAbort(() => {
    isAborted = true;
    // The other callbacks of the cancellation run first.
    queueMicrotask(() => end(call.failure === undefined ? undefined : toFailure(call.failure)));
  });
  answerRequest(request, call, session, context).then(
    (text) => isAborted || end({ text }),
    (thrown) => isAborted || end(toFailure(thrown)),
  );
}
