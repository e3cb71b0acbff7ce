// Hands an upstream's questions to the caller, with all that the next round needs sealed into the state (E-21, J-55).
import {
  clientCapabilitiesOf,
  type InputRequiredResult,
  isInputRequestMethod,
  isJsonObject,
  type JsonObject,
  type ModernRequest,
  missingCapabilitiesFor,
  missingClientCapability,
  onAbort,
  type Result,
  withParams,
} from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { abandon } from "./abandon.ts";
import { toAsked } from "./answer-record.ts";
import { toCallerResult } from "./caller-result.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import type { ParkedCalls } from "./parked-calls.ts";
import type { AnswerRecord, RequestState, RequestStateSeal } from "./request-state.ts";
import { toOutgoing } from "./send-upstream.ts";

export type Answers = AnswerRecord["answers"];

export interface AskOptions {
  readonly seal: RequestStateSeal;
  readonly directory: Directory;
  readonly parked: ParkedCalls;
}

/** `answers` are those of the rounds before, for a call that may run again. Rejects with McpError. */
export type AskCaller = (
  call: ForwardedCall,
  session: Session,
  question: InputRequiredResult,
  answers?: Answers,
) => Promise<Result>;

const retryAfterMs = 5_000;

export function createAskCaller({ seal, directory, parked }: AskOptions): AskCaller {
  return async (call, session, question, answers = {}) => {
    const { request, exchange, target } = call;
    const { sessions } = target;
    const { requestState: inner, inputRequests: questions = {} } = question;
    const { handle } = session.key;
    const waiting =
      inner !== undefined && session.connection?.traits.hasServerRequests
        ? { sessions, session, inner, callerId: exchange.caller?.id, name: nameOf(request), questions }
        : undefined;
    // Nobody will answer: the upstream is told, rather than left waiting.
    const giveUp = (): void => {
      const asked = toOutgoing(call, session);
      void abandon({ sessions, session, asked, caller: exchange.caller }, question);
    };
    try {
      requireQuestions(question, sessions);
      requireDeclared(question, request);
      if (waiting) {
        if (!parked.park(waiting)) {
          const what = "asks, but too many calls wait for an answer already";
          throw upstreamError(sessions.name, "busy", what, { retryAfterMs });
        }
        // Its caller leaves while it is told, or cancels while it is asked.
        onAbort(exchange, () => {
          sessions.enter(session);
          if (parked.take(session, waiting.inner)) giveUp();
          sessions.leave(session);
        });
      }
      const asked = toCallerResult(question, call, session);
      if (question.inputRequests) asked.inputRequests = withParams(question.inputRequests);
      const state: RequestState = {
        upstream: sessions.name,
        ...(sessions.isLegacyEra && { era: "legacy" as const }),
        ...(inner !== undefined && { inner }),
        ...(waiting && { parked: { replica: directory.self, session: session.id } }),
        ...(handle !== undefined && { handle }),
      };
      if (await call.task?.keep(state)) return withoutState(asked);
      if (inner !== undefined || handle !== undefined) {
        asked.requestState = await sealState(call, question, answers, state);
      }
      return asked;
    } catch (error) {
      if (waiting) {
        giveUp();
        parked.take(session, waiting.inner);
      }
      throw error;
    }
  };

  /** Without a record where it would be too large: the call can then not run again. */
  async function sealState(
    { request, exchange, target }: ForwardedCall,
    { inputRequests = {} }: InputRequiredResult,
    answers: Answers,
    state: RequestState,
  ): Promise<string> {
    const record = target.isRepeatable && { record: { asked: await toAsked(inputRequests), answers } };
    for (const candidate of record ? [{ ...state, ...record }, state] : [state]) {
      try {
        return await seal.seal(candidate, request, exchange);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    throw upstreamError(state.upstream, "invalid", "gave a state that is too large to be passed on");
  }
}

function nameOf({ params }: ModernRequest): string {
  return String(params.name ?? params.uri ?? "");
}

/** A task has none (F-4): it is kept with the task. */
function withoutState({ requestState: _, ...asked }: Result): Result {
  return asked as Result;
}

/** What is passed on is what a client can answer. */
function requireQuestions(
  { inputRequests = {} }: InputRequiredResult,
  { name: upstream, mask }: UpstreamSessions,
): void {
  if (!isJsonObject(inputRequests)) throw upstreamError(upstream, "invalid", "asks nothing that is a question");
  for (const [key, question] of Object.entries(inputRequests)) {
    if (isJsonObject(question) && isQuestion(question)) continue;
    throw upstreamError(upstream, "invalid", `asks what is no question under "${mask.text(key)}"`);
  }
}

function isQuestion({ method: asked, params }: JsonObject): boolean {
  return typeof asked === "string" && isInputRequestMethod(asked) && (asked === "roots/list" || isJsonObject(params));
}

/** E-23: the upstream knows what the caller declared; one that asks for more is not believed. */
function requireDeclared({ inputRequests = {} }: InputRequiredResult, request: ModernRequest): void {
  const declared = clientCapabilitiesOf(request);
  for (const question of Object.values(inputRequests)) {
    const missing = missingCapabilitiesFor(question, declared);
    if (missing) throw missingClientCapability({ ...missing });
  }
}
