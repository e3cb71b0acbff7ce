// Replay protection: each `requestState` is answered once. The upstream sees one answer, and an identical retry gets the same
// result.
import { clientCapabilitiesOf, errorCode, isJsonObject, isMcpError, type Result } from "@lethe/protocol";
import { digestOf, type SingleUse } from "@lethe/server/edge";
import type { UpstreamFailure } from "../upstreams/connection/upstream-error.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import type { RequestState } from "./request-state.ts";

/** Calls `run` at most once for the token of `state`, unless `isUnused` says that an error left the token unused. */
export type AnswerOnce = (
  call: ForwardedCall,
  state: RequestState,
  run: () => Promise<Result>,
  isUnused: (error: unknown) => boolean,
) => Promise<Result>;

export function createAnswerOnce(singleUse: SingleUse | undefined): AnswerOnce {
  return async ({ request, exchange }, { round }, run, isUnused) => {
    if (!singleUse || !round || exchange.keepsState) return run();
    const { inputResponses } = request.params;
    const inputs = await digestOf([inputResponses ?? null, clientCapabilitiesOf(request)]);
    return singleUse.answer({ ...round, callerId: exchange.caller?.id, inputs }, run, { isUnused });
  };
}

/** True for an error after which the answers may be sent again: the upstream did not start, or rejected them. */
export function isRefusal(error: unknown): boolean {
  if (!isMcpError(error)) return false;
  if (error.code === errorCode.invalidParams) return true;
  const { reason, retryAfterMs } = isJsonObject(error.data) ? error.data : {};
  return notBegun.has(reason) || (retryAfterMs !== undefined && !perhapsDone.has(reason));
}

const notBegun: ReadonlySet<unknown> = new Set<UpstreamFailure>(["unavailable", "busy", "unauthorized"]);
const perhapsDone: ReadonlySet<unknown> = new Set<UpstreamFailure>(["lost", "timeout"]);
