// One request of a legacy session, from its beginning to the text of its response.
import type { JsonRpcRequest } from "@lethe/protocol";
import { isInternal, toWireError } from "../../http/answers.ts";
import { toErrorText } from "../../http/response-text.ts";
import type { MessageSink } from "../calls/message-sink.ts";
import { RunningCall } from "../calls/running-call.ts";
import type { LegacyContext } from "../legacy-context.ts";
import type { Peer } from "../sessions/peer.ts";
import type { LegacySession } from "../sessions/session.ts";
import { answerRequest } from "./answer-request.ts";

/** The response to a request. `thrown` is what an HTTP answer may have to say in its head. */
export interface LegacyResponse {
  readonly text: string;
  readonly thrown?: unknown;
}

export interface RequestPlace {
  readonly session: LegacySession;
  readonly sink: MessageSink;
  readonly peer: Peer;
  readonly context: LegacyContext;
}

/**
 * Calls `respond` once: with undefined for a request that was cancelled, however long its work goes on, for nothing is sent
 * for it.
 */
export function runRequest(
  request: JsonRpcRequest,
  { session, sink, peer, context }: RequestPlace,
  respond: (response: LegacyResponse | undefined) => void,
): void {
  const run = new RunningCall(session.facts, sink, peer);
  const { revision } = session.facts;
  const toFailure = (thrown: unknown): LegacyResponse => {
    if (isInternal(thrown)) context.settings.onError(thrown);
    return { text: toErrorText(request.id, revision.toClientError(request.method, toWireError(thrown))), thrown };
  };
  try {
    session.begin(request.id, run);
  } catch (thrown) {
    respond(toFailure(thrown));
    return;
  }
  let isGivenUp = false;
  const end = (response: LegacyResponse | undefined): void => {
    session.finish(request.id, run);
    respond(response);
  };
  run.onAbort(() => {
    isGivenUp = true;
    // Whatever else stops with the run is told first.
    queueMicrotask(() => end(run.failure === undefined ? undefined : toFailure(run.failure)));
  });
  answerRequest(request, run, session, context).then(
    (text) => isGivenUp || end({ text }),
    (thrown) => isGivenUp || end(toFailure(thrown)),
  );
}
