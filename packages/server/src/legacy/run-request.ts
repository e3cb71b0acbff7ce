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

/** Never rejects. Undefined for a request that was cancelled: nothing is sent for it. */
export async function runRequest(
  request: JsonRpcRequest,
  { session, outlet, peer, parts }: RequestPlace,
): Promise<LegacyResponse | undefined> {
  let run: CallRun | undefined;
  try {
    run = session.begin(request.id, new CallRun(session.facts.codec, outlet, peer));
    const text = await orCancelled(answerRequest(request, run, session, parts), run);
    return text === undefined ? undefined : { text };
  } catch (thrown) {
    if (isInternal(thrown)) parts.settings.onError(thrown);
    return { text: toErrorText(request.id, toLegacyError(request.method, toWireError(thrown))), thrown };
  } finally {
    if (run) session.finish(request.id, run);
  }
}

/** Undefined as soon as the run is cancelled, however long its work goes on. */
function orCancelled(work: Promise<string>, run: CallRun): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    run.onStop(() => {
      if (run.isEnded) resolve(undefined);
    });
    work.then(resolve, reject);
  });
}
