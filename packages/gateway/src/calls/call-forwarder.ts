// Brings a caller's request to its upstream and the answer back (D.7): over the session that is the caller's, with the
// upstream's questions as `input_required`, and with nothing of the upstream's id space in sight (J-55).
import { isTransportError } from "@lethe/client";
import {
  type Exchange,
  errorCode,
  isInputRequired,
  isTaskResult,
  type JsonObject,
  McpError,
  type ModernRequest,
  method,
  parseInputParams,
  type Result,
  taskAugmentationOf,
} from "@lethe/protocol";
import { invalidRequestState, type SingleUse } from "@lethe/server/edge";
import { withStartProgress } from "../upstreams/connection/start-progress.ts";
import { ofEra } from "../upstreams/sessions/era-choice.ts";
import { bothErasOf } from "../upstreams/sessions/legacy-era.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { RemoteOwner } from "../upstreams/sessions/session-leases.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { abandon } from "./abandon.ts";
import { answersOf, callGone, Playback, toAsked } from "./answer-record.ts";
import { toCallerResult, toSessionGoneResult } from "./caller-result.ts";
import { successorOf, untilReady } from "./current-upstream.ts";
import { eraSwitched, isEraRefused, mayRunAgain, noteInputRequired, switchEra } from "./era-refusal.ts";
import { type Answers, type AskOptions, createAskCaller } from "./forward-input-requests.ts";
import { createPassOn } from "./forward-to-owner.ts";
import { type CallTasks, type ForwardedCall, type UpstreamTarget, withSessions } from "./forwarded-call.ts";
import { readAnswers } from "./read-answers.ts";
import { createAnswerOnce, isRefusal } from "./replay-protection.ts";
import type { RequestState } from "./request-state.ts";
import { toOutgoing, transmit } from "./send-upstream.ts";
import { handleOf } from "./session-argument.ts";

export interface CallForwarderOptions extends AskOptions {
  /** Of the endpoint that the callers use: replicas pass requests on to it. */
  readonly path: string;
  readonly tasks: CallTasks;
  /** Default: a state may be answered until it expires. */
  readonly singleUse?: SingleUse | undefined;
  /** What serves an upstream under the configuration in force. Default: nothing but what a request is for. */
  currentOf?(upstream: string): UpstreamSessions | undefined;
  /** What served an upstream under the configurations before, and still keeps calls. Default: nothing. */
  retiredOf?(upstream: string): Iterable<UpstreamSessions>;
  /** Changes a result so that its references lead to the upstream. Default: they stay the upstream's own. */
  publish?(result: Result, upstream: string, request: ModernRequest): Result;
}

export interface CallForwarder {
  /** What a retry goes on with; undefined for a request that is none. Throws McpError -32602 for a forged one (E-27). */
  open(request: ModernRequest, exchange: Exchange): Promise<RequestState | undefined>;
  /** Rejects with McpError. */
  forward(target: UpstreamTarget, request: ModernRequest, exchange: Exchange, state?: RequestState): Promise<Result>;
  /** Goes on with a call whose state is with a task. Rejects with McpError. */
  resume(call: ForwardedCall, state: RequestState): Promise<Result>;
  /** Nobody will answer what the upstream has asked in this call. */
  giveUp(call: ForwardedCall, state: RequestState): void;
}

export function createCallForwarder(options: CallForwarderOptions): CallForwarder {
  const { seal, directory, parked, path, tasks, retiredOf, currentOf = () => undefined, publish } = options;
  const ask = createAskCaller({ seal, directory, parked });
  const answerOnce = createAnswerOnce(options.singleUse);
  const passOn = createPassOn(directory, path);

  function forward(call: ForwardedCall, state?: RequestState): Promise<Result> {
    if (state && state.upstream !== call.target.sessions.name) return Promise.reject(invalidRequestState());
    const sessions = ofEra(call.target.sessions, state?.era);
    return sessions instanceof Promise
      ? sessions.then((own) => relayIn(withSessions(call, own), state))
      : relayIn(withSessions(call, sessions), state);
  }

  function relayIn(call: ForwardedCall, state: RequestState | undefined): Promise<Result> {
    if (state?.parked) return goOn(call, state, state.parked);
    return inSession(call, state, (own, session) => run(own, session, state && { requestState: state.inner }));
  }

  /** Nothing ends the session while `use` runs. */
  async function inSession(
    call: ForwardedCall,
    state: RequestState | undefined,
    use: (call: ForwardedCall, session: Session) => Promise<Result>,
  ): Promise<Result> {
    const { target, request } = call;
    const { sessions } = target;
    const handle = state?.handle ?? handleOf(request.params, target.hasSessionArgument === true);
    let session: Session | RemoteOwner;
    let deadline = 0;
    try {
      const begins = request.method === method.callTool;
      const find = () => sessions.sessionFor(call.exchange.caller?.id, { handle, begins });
      const found = find();
      if (found instanceof Promise) {
        deadline = Date.now() + sessions.startWaitMs;
        session = await withStartProgress(sessions.name, found, request, call.exchange);
      } else session = found;
      for (let isFirst = true; "replica" in session; isFirst = false) {
        const passed = await passOn(call, session.replica);
        if ("result" in passed) return passed.result;
        if (!isFirst) throw passed.unreached;
        // It has not begun there, and who stops leaves its sessions to others.
        session = await find();
      }
    } catch (error) {
      const next = deadline > 0 && successorOf(call, error, currentOf);
      if (!next) return toSessionGoneResult(error, request);
      return inSession(await untilReady(next, { currentOf, deadline }), state, use);
    }
    sessions.enter(session);
    try {
      if (!state?.round) return await attempt(call, session, (own) => use(own, session));
      return await answerOnce(call, state, () => attempt(call, session, (own) => use(own, session)), isRefusal);
    } finally {
      sessions.leave(session);
    }
  }

  function attempt(
    call: ForwardedCall,
    session: Session,
    use: (call: ForwardedCall) => Promise<Result>,
  ): Promise<Result> {
    if (tasks.covers(call, session)) return runAsTask(call, session, use);
    if (tasks.isDue(call, session)) return attemptAsTask(call, session, use);
    if (!call.task && !call.target.taskSupport && taskAugmentationOf(call.request)) {
      throw new McpError(errorCode.methodNotFound, `${call.request.params.name} cannot run as a task`);
    }
    return use(call);
  }

  /** D-38: an upstream of 2026-07-28 decides by itself what becomes a task; a client of 2025-11-25 has to get one. */
  async function attemptAsTask(
    call: ForwardedCall,
    session: Session,
    use: (call: ForwardedCall) => Promise<Result>,
  ): Promise<Result> {
    const result = await use({ ...call, isPublishedLater: true });
    return result.resultType === "complete" ? runAsTask(call, session, async () => result) : result;
  }

  /** References of a result that outlives the request are published when the task is read, at the endpoint that reads it. */
  async function runAsTask(call: ForwardedCall, session: Session, use: (call: ForwardedCall) => Promise<Result>) {
    const result = await tasks.run(call, session, use);
    return publish && !isTaskResult(result) ? publish({ ...result }, call.target.sessions.name, call.request) : result;
  }

  async function run(call: ForwardedCall, session: Session, input?: JsonObject, answers?: Answers): Promise<Result> {
    let result: Result;
    try {
      result = await transmit(call, session, input);
    } catch (error) {
      if (session.key.handle === undefined && isLostTrack(error)) return runElsewhere(call, session, error);
      const elsewhere = isEraRefused(call, error) && (await inOtherEra(call, error));
      if (elsewhere) return elsewhere.result;
      throw error;
    }
    const elsewhere = isEraRefused(call, result) && (await inOtherEra(call, result));
    return elsewhere ? elsewhere.result : toAnswer(call, session, result, answers);
  }

  /** Undefined where the upstream has no other era to go to. Rejects with McpError for a tool that may not run twice. */
  async function inOtherEra(call: ForwardedCall, refusal: unknown): Promise<{ readonly result: Result } | undefined> {
    const sessions = await switchEra(call);
    if (!sessions) return undefined;
    if (!mayRunAgain(call, refusal)) throw eraSwitched(call);
    const again = withSessions(call, sessions);
    return { result: await inSession(again, undefined, (own, session) => run(own, session)) };
  }

  /** A call that may ask, where the upstream may still ask for a cancelled one: it has not been sent. */
  async function runElsewhere(call: ForwardedCall, session: Session, error: unknown): Promise<Result> {
    const { sessions } = call.target;
    sessions.replace(session);
    const next = await sessions.sessionFor(call.exchange.caller?.id);
    if ("replica" in next) throw error;
    sessions.enter(next);
    try {
      return await toAnswer(call, next, await transmit(call, next));
    } finally {
      sessions.leave(next);
    }
  }

  function toAnswer(
    call: ForwardedCall,
    session: Session,
    result: Result,
    answers?: Answers,
  ): Result | Promise<Result> {
    if (isInputRequired(result)) {
      noteInputRequired(call, session);
      return ask(call, session, result, answers);
    }
    if (isTaskResult(result)) return tasks.adopt(call, session, result);
    const own = toCallerResult(result, call, session);
    return publish && !call.task && !call.isPublishedLater
      ? publish(own, call.target.sessions.name, call.request)
      : own;
  }

  /** The next round of a call that an upstream keeps open. */
  async function goOn(
    call: ForwardedCall,
    state: RequestState,
    place: NonNullable<RequestState["parked"]>,
  ): Promise<Result> {
    const { sessions } = call.target;
    if (place.replica !== directory.self) {
      const passed = await passOn(call, place.replica);
      if ("result" in passed) return passed.result;
      if (!passed.isGone) throw passed.unreached;
      return runAgain(call, state, "it is kept by a replica of the gateway that is gone");
    }
    const kept = find(sessions, place.session);
    if (!kept) return runAgain(call, state, "its session is over");
    const { keeper, session } = kept;
    keeper.enter(session);
    let isTaken = false;
    const answer = async (): Promise<Result> => {
      const { inner: requestState = "" } = state;
      const waiting = parked.find(session, requestState);
      if (!waiting) throw invalidRequestState();
      readAnswers(Object.entries(waiting.questions), parseInputParams(call.request.params).inputResponses ?? {});
      parked.take(session, requestState);
      isTaken = true;
      return attempt(withSessions(call, keeper), session, (own) =>
        run(own, session, { requestState }, answersOf(own, state)),
      );
    };
    try {
      return await answerOnce(call, state, answer, () => !isTaken);
    } finally {
      keeper.leave(session);
    }
  }

  /** Also where the upstream has been configured anew meanwhile. */
  function find(sessions: UpstreamSessions, id: string): { keeper: UpstreamSessions; session: Session } | undefined {
    for (const others of [sessions, ...(retiredOf?.(sessions.name) ?? [])]) {
      for (const keeper of bothErasOf(others)) {
        const session = keeper.sessionOf(id);
        if (session) return { keeper, session };
      }
    }
    return undefined;
  }

  /** Only where both the tool and the operator said so: never silently (field). */
  async function runAgain(call: ForwardedCall, state: RequestState, why: string): Promise<Result> {
    const answers = answersOf(call, state);
    // What was answered before the call was gone can still be had.
    const reject = () => Promise.reject(callGone(call, why));
    if (!answers) return answerOnce(call, state, reject, () => false);
    const playback = new Playback(answers);
    return inSession(call, state, async (own, session) => {
      let result = await transmit(own, session, { requestState: undefined, inputResponses: undefined });
      // Each answer is played once, so that it ends however often the upstream asks.
      while (isInputRequired(result)) {
        const inputResponses = playback.answer(await toAsked(result.inputRequests ?? {}));
        if (!inputResponses) break;
        result = await transmit(own, session, { requestState: result.requestState, inputResponses });
      }
      return toAnswer(own, session, result, answers);
    });
  }

  return {
    async open(request, exchange) {
      const { requestState } = request.params;
      if (requestState === undefined) return undefined;
      if (typeof requestState !== "string") throw invalidRequestState();
      return seal.open(requestState, request, exchange);
    },
    forward: (target, request, exchange, state) => forward({ target, request, exchange }, state),
    resume: forward,
    giveUp(call, { parked: place, inner: requestState }) {
      const kept = place && find(call.target.sessions, place.session);
      if (!kept || requestState === undefined) return;
      const { keeper, session } = kept;
      const asked = toOutgoing(call, session);
      void abandon({ sessions: keeper, session, asked, caller: call.exchange.caller }, toQuestion(requestState));
      parked.take(session, requestState);
    },
  };
}

function toQuestion(requestState: string): Result {
  return { resultType: "input_required", requestState };
}

/** The server still works on a cancelled call: nothing shows which of the two a request of its belongs to. */
function isLostTrack(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isTransportError(cause) && cause.reason === "lost_track";
}
