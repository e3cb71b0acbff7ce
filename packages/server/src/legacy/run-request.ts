// One request of a legacy session, from its beginning to the text of its response.
import type { JsonRpcRequest } from "@lethe/protocol";
import { toLegacyError } from "@lethe/protocol/legacy";
import { isInternal, toWireError } from "../http/answers.ts";
import { toErrorText } from "../http/response-text.ts";
import { answerRequest } from "./answer-request.ts";
import { CallRun } from "./call-run.ts";
import type { LegacyParts } from "./legacy-parts.ts";
import type { Outlet } from "./outlet.ts";
import type { Peer } from "./peer.ts";
import type { LegacySession } from "./session.ts";

/** The response to a request. `thrown` is what an HTTP answer may have to say in its head. */
export interface LegacyResponse {
  readonly text: string;
  readonly thrown?: unknown;
}

export interface RequestPlace {
  readonly session: LegacySession;
  readonly outlet: Outlet;
  readonly peer: Peer;
  readonly parts: LegacyParts;
}

/** Never rejects. Undefined for a request that was cancelled, however long its work goes on: nothing is sent for it. */
export function runRequest(request: JsonRpcRequest, place: RequestPlace): Promise<LegacyResponse | undefined> {
  const { session, outlet, peer, parts } = place;
  const run = new CallRun(session.facts.codec, outlet, peer);
  return new Promise((resolve) => {
    const toFailure = (thrown: unknown): LegacyResponse => {
      if (isInternal(thrown)) parts.settings.onError(thrown);
      return { text: toErrorText(request.id, toLegacyError(request.method, toWireError(thrown))), thrown };
    };
    try {
      session.begin(request.id, run);
    } catch (thrown) {
      resolve(toFailure(thrown));
      return;
    }
    let isCancelled = false;
    const settle = (response?: LegacyResponse): void => {
      session.finish(request.id, run);
      resolve(response);
    };
    run.onAbort(() => {
      isCancelled = run.isEnded;
      // Not while whatever else stops with the run has still to be told.
      if (isCancelled) queueMicrotask(settle);
    });
    answerRequest(request, run, session, parts).then(
      (text) => isCancelled || settle({ text }),
      (thrown) => isCancelled || settle(toFailure(thrown)),
    );
  });
}
