// One call through the modern core (D-50): where the core answers `input_required`, the client is asked live, and the core
// is called again with the answers.
import {
  errorCode,
  isInputMethod,
  isInputRequired,
  isTaskResult,
  type JsonObject,
  McpError,
  type ModernRequest,
  type Result,
  taskAugmentationOf,
} from "@lethe/protocol";
import type { LegacyContext } from "../legacy-context.ts";
import type { LegacySession } from "../sessions/session.ts";
import { type BackgroundTimer, startBackgroundTimer } from "./background-timer.ts";
import { askAll } from "./input-round.ts";
import type { RunningCall } from "./running-call.ts";
import { createUrlElicitations, type UrlElicitations } from "./url-elicitations.ts";

/** E-25: the pace of a call that asks nothing and wants to be repeated all the same. */
const firstPauseMs = 250;
const maxPauseMs = 5_000;

export async function serveCall(
  request: ModernRequest,
  run: RunningCall,
  session: LegacySession,
  { dispatch, settings }: LegacyContext,
): Promise<Result> {
  let urlElicitations: UrlElicitations | undefined;
  let next = request;
  for (let round = 0; ; round++) {
    const clock = startClock(run, settings.callTimeoutMs);
    let result: Result;
    try {
      result = await dispatch(next, run);
    } finally {
      clearTimeout(clock);
    }
    const questions = isInputRequired(result) ? (result.inputRequests ?? {}) : undefined;
    urlElicitations?.leave(questions);
    if (!questions) return requireDue(result, request);
    if (!isInputMethod(request.method)) throw internal(`${request.method} may not ask for input`);
    if (round === settings.maxRounds) throw internal(`the call asked for input more than ${settings.maxRounds} times`);
    const isAsking = Object.keys(questions).length > 0;
    if (!isAsking) await pause(Math.min(firstPauseMs * 2 ** round, maxPauseMs), run);
    urlElicitations ??= createUrlElicitations(run);
    run.keepsState = typeof result.requestState === "string";
    next = withAnswers(
      request,
      isAsking ? await askAll(questions, { run, session, urlElicitations }) : undefined,
      result,
    );
  }
}

/** A task only for who asked for one (D-38). */
function requireDue(result: Result, request: ModernRequest): Result {
  if (result.resultType === "complete" || (isTaskResult(result) && taskAugmentationOf(request))) return result;
  throw internal(`a result of kind "${result.resultType}" cannot be given to this client`);
}

/** E-24: the same request, with the answers of this round and its state. */
function withAnswers(request: ModernRequest, inputResponses: JsonObject | undefined, asked: Result): ModernRequest {
  const params = { ...request.params };
  if (inputResponses) params.inputResponses = inputResponses;
  if (typeof asked.requestState === "string") params.requestState = asked.requestState;
  return { ...request, params };
}

/** A call that takes too long fails, whatever the core still does for it. */
function startClock(run: RunningCall, ms: number): BackgroundTimer | undefined {
  if (ms === 0) return undefined;
  return startBackgroundTimer(() => run.fail(internal(`the request took longer than ${ms} ms`)), ms);
}

export function pause(ms: number, run: RunningCall): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = startBackgroundTimer(() => {
      forget();
      resolve();
    }, ms);
    const forget = run.onStop(() => {
      clearTimeout(timer);
      reject(internal("the request was cancelled"));
    });
  });
}

export function internal(message: string): McpError {
  return new McpError(errorCode.internalError, message);
}
