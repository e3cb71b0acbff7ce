// Runs one call through the core (D-50). When the core returns `input_required`, sends the input requests to the client and
// calls the core again with the responses.
import {
  isInputMethod,
  isInputRequired,
  isTaskResult,
  type JsonObject,
  type ModernRequest,
  type Result,
  taskAugmentationOf,
} from "@lethe/protocol";
import type { LegacySession } from "../sessions/session.ts";
import type { LegacyContext } from "../shared/legacy-context.ts";
import { internalError, type RunningCall } from "./running-call.ts";
import { sendInputRequests } from "./send-input-requests.ts";
import { pause } from "./timers.ts";
import { UrlElicitations } from "./url-elicitations.ts";

/** E-25: the back-off between rounds that request no input but want to be retried. */
const firstPauseMs = 250;
const maxPauseMs = 5_000;

/** Rejects with McpError. */
export async function serveCall(
  request: ModernRequest,
  call: RunningCall,
  session: LegacySession,
  { dispatch, settings }: LegacyContext,
): Promise<Result> {
  let urlElicitations: UrlElicitations | undefined;
  let next = request;
  for (let round = 0; ; round++) {
    const cancel = startTimeLimit(call, settings);
    let result: Result;
    try {
      result = await dispatch(next, call);
    } finally {
      cancel?.();
    }
    const inputRequests = isInputRequired(result) ? (result.inputRequests ?? {}) : undefined;
    urlElicitations?.completeAllBut(inputRequests);
    if (!inputRequests) return requireExpectedKind(result, request);
    if (!isInputMethod(request.method)) throw internalError(`${request.method} may not ask for input`);
    if (round === settings.maxRounds) {
      throw internalError(`the call asked for input more than ${settings.maxRounds} times`);
    }
    urlElicitations ??= new UrlElicitations(call);
    call.keepsState = typeof result.requestState === "string";
    let inputResponses: JsonObject | undefined;
    if (Object.keys(inputRequests).length > 0) {
      inputResponses = await sendInputRequests(inputRequests, { call, session, urlElicitations });
    } else await pause(Math.min(firstPauseMs * 2 ** round, maxPauseMs), call);
    next = toRetry(request, inputResponses, result);
  }
}

/** D-38: only a request with task augmentation may get a task. */
function requireExpectedKind(result: Result, request: ModernRequest): Result {
  if (result.resultType === "complete" || (isTaskResult(result) && taskAugmentationOf(request))) return result;
  throw internalError(`a result of kind "${result.resultType}" cannot be given to this client`);
}

/** E-24: the same request, with the responses of this round and the state that the core returned. */
function toRetry(request: ModernRequest, inputResponses: JsonObject | undefined, required: Result): ModernRequest {
  const params = { ...request.params };
  if (inputResponses) params.inputResponses = inputResponses;
  if (typeof required.requestState === "string") params.requestState = required.requestState;
  return { ...request, params };
}

/** Fails the call after `callTimeoutMs`, even if its handler still runs. */
function startTimeLimit(
  call: RunningCall,
  { clock, callTimeoutMs: ms }: LegacyContext["settings"],
): (() => void) | undefined {
  if (ms === 0) return undefined;
  return clock.after(ms, () => call.fail(internalError(`the request took longer than ${ms} ms`)));
}
