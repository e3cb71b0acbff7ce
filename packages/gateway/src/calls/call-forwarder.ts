// Forwards a request of a caller to its upstream and the result back: over the session that belongs to the caller, and
// without ids of the upstream. A retry with `requestState` resumes the call that asked.
import {
  type Exchange,
  isInputRequired,
  type JsonObject,
  type ModernRequest,
  parseInputParams,
  type Result,
} from "@lethe/protocol";
import { invalidRequestState, type SingleUse } from "@lethe/server/edge";
import type { Directory } from "@lethe/server/stores";
import type { Tracing } from "../tracing/tracing.ts";
import { ofEra } from "../upstreams/sessions/era-choice.ts";
import { bothErasOf } from "../upstreams/sessions/legacy-era.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { answersOf, callGone, digestsOf, Playback } from "./answer-record.ts";
import { joinCall, traceOf } from "./call-trace.ts";
import { createForwardToOwner, type ForwardToOwner } from "./forward-to-owner.ts";
import { type ForwardedCall, type UpstreamTarget, withSessions } from "./forwarded-call.ts";
import type { AnsweredCall, OperatorAnswers } from "./operator-answers.ts";
import type { GatewayPendingCalls, PendingCallReference } from "./pending-call.ts";
import { type AnswerOnce, createAnswerOnce } from "./replay-protection.ts";
import { RequestHold } from "./request-hold.ts";
import type { RequestState, RequestStateSeal } from "./request-state.ts";
import { transmit } from "./send-upstream.ts";
import { SessionRunner, type SessionRunnerOptions } from "./session-runner.ts";

export interface CallForwarderOptions extends Omit<SessionRunnerOptions, "answerOnce" | "forwardToOwner" | "hold"> {
  /** The path of the endpoint that the callers use: replicas forward requests to it. */
  readonly path: string;
  /** One for all endpoints of a gateway. Default: one of its own. */
  readonly hold?: RequestHold | undefined;
  /** Default: a state may be answered until it expires. */
  readonly singleUse?: SingleUse | undefined;
  /** Calls that an operator answered. Default: none. */
  readonly operatorAnswers?: OperatorAnswers | undefined;
  /** Sessions of earlier configurations of an upstream that still have pending calls. Default: none. */
  retiredOf?(upstream: string): Iterable<UpstreamSessions>;
}

export class CallForwarder {
  readonly #seal: RequestStateSeal;
  readonly #directory: Directory;
  readonly #pendingCalls: GatewayPendingCalls;
  readonly #retiredOf: (upstream: string) => Iterable<UpstreamSessions>;
  readonly #answerOnce: AnswerOnce;
  readonly #operatorAnswers: OperatorAnswers | undefined;
  readonly #forwardToOwner: ForwardToOwner;
  readonly #hold: RequestHold;
  readonly #runner: SessionRunner;
  readonly #tracing: Tracing | undefined;

  constructor(options: CallForwarderOptions) {
    const { seal, directory, pendingCalls, path, singleUse, retiredOf, hold = new RequestHold() } = options;
    this.#seal = seal;
    this.#directory = directory;
    this.#pendingCalls = pendingCalls;
    this.#retiredOf = (upstream) => retiredOf?.(upstream) ?? [];
    this.#answerOnce = createAnswerOnce(singleUse);
    this.#operatorAnswers = options.operatorAnswers;
    this.#tracing = options.tracing;
    this.#forwardToOwner = createForwardToOwner(directory, path, options.tracing?.replicas);
    this.#hold = hold;
    this.#runner = new SessionRunner({
      ...options,
      hold,
      answerOnce: this.#answerOnce,
      forwardToOwner: this.#forwardToOwner,
    });
  }

  /** The state of a retry; undefined for a first request. Throws McpError -32602 for a forged or expired state. */
  async open(request: ModernRequest, exchange: Exchange): Promise<RequestState | undefined> {
    const { requestState } = request.params;
    if (requestState === undefined) return undefined;
    if (typeof requestState !== "string") throw invalidRequestState();
    const state = await this.#seal.open(requestState, request, exchange);
    joinCall(request, state.call);
    if (state.span !== undefined && !request.isForwarded) this.#tracing?.link(state.span);
    return state;
  }

  /** Rejects with McpError. */
  forward(target: UpstreamTarget, request: ModernRequest, exchange: Exchange, state?: RequestState): Promise<Result> {
    return this.resume({ target, request, exchange }, state);
  }

  /** Resumes a call whose state is kept with a task. Rejects with McpError. */
  resume(call: ForwardedCall, state: RequestState | undefined): Promise<Result> {
    const { sessions } = call.target;
    if (state && state.upstream !== sessions.name) return Promise.reject(invalidRequestState());
    const own = ofEra(sessions, state?.era);
    return own instanceof Promise
      ? own.then((opened) => this.#inEra(withSessions(call, opened), state))
      : this.#inEra(withSessions(call, own), state);
  }

  /** Cancels the pending call at its upstream. Does nothing when the upstream keeps no call open. */
  abandon({ pending }: RequestState, reason?: string): void {
    if (pending) this.#pendingCalls.abandon(pending.id, reason);
  }

  #inEra(call: ForwardedCall, state: RequestState | undefined): Promise<Result> {
    if (state?.pending) return this.#resumeOrHold(call, state, state.pending);
    return this.#runner.inSession(call, state, (own, session) =>
      this.#runner.run(own, session, state && { input: { requestState: state.inner } }),
    );
  }

  /** The replica that has the pending call may be unreachable for a moment. The pending call of a lost replica is gone. */
  async #resumeOrHold(call: ForwardedCall, state: RequestState, pending: PendingCallReference): Promise<Result> {
    const since = this.#hold.now();
    const resume = () => this.#resumePending(call, state, pending);
    try {
      return await resume();
    } catch (error) {
      const { target, request, exchange } = call;
      return this.#hold.retry({ sessions: target.sessions, request, exchange, since }, error, resume);
    }
  }

  /** The next round of a call that waits at a legacy upstream. */
  async #resumePending(call: ForwardedCall, state: RequestState, pending: PendingCallReference): Promise<Result> {
    if (pending.replica !== this.#directory.self) {
      const forwarded = await this.#forwardToOwner(call, { replica: pending.replica });
      if ("result" in forwarded) return forwarded.result;
      if (!forwarded.isGone) throw forwarded.unreached;
      return this.#runAgain(call, state, "it is kept by a replica of the gateway that is gone");
    }
    const answered = this.#operatorAnswers?.take(pending.id);
    if (answered)
      return this.#answerOnce(
        call,
        state,
        () => this.#conclude(call, state, answered),
        () => false,
      );
    const found = this.#findSession(call.target.sessions, pending.session);
    if (!found) return this.#runAgain(call, state, "its session is over");
    const { sessions, session } = found;
    sessions.enter(session);
    const isUnused = () => this.#pendingCalls.get(pending.id) !== undefined;
    try {
      return await this.#answerOnce(call, state, () => this.#answer(call, state, found, pending.id), isUnused);
    } finally {
      sessions.leave(session);
    }
  }

  /** The result of a call that an operator has answered. */
  #conclude(call: ForwardedCall, state: RequestState, { hold, result }: AnsweredCall): Promise<Result> {
    const { sessions, session } = hold;
    const steps = traceOf(call.request)?.steps;
    steps?.add({ from: steps.self, to: steps.self, kind: "wait", label: "an operator has answered the call already" });
    return this.#runner.attempt(withSessions(call, sessions), session, async (own) =>
      this.#runner.toAnswer(own, session, await result, answersOf(own, state)),
    );
  }

  async #answer(
    call: ForwardedCall,
    state: RequestState,
    { sessions, session }: { sessions: UpstreamSessions; session: Session },
    pendingId: string,
  ): Promise<Result> {
    const { inputResponses = {} } = parseInputParams(call.request.params);
    // The state is authentic, so the call was pending here.
    const waiting = this.#pendingCalls.get(pendingId);
    if (!waiting) throw callGone(call, "it was answered, cancelled or has expired");
    const resumed = this.#pendingCalls.resume(pendingId, inputResponses, call.exchange.caller?.id);
    waiting.holder?.answered();
    return this.#runner.attempt(withSessions(call, sessions), session, (own) =>
      this.#runner.run(own, session, {
        input: { requestState: pendingId },
        dispatch: resumed,
        answers: answersOf(own, state),
      }),
    );
  }

  /** Looks also in earlier configurations of the upstream. */
  #findSession(
    current: UpstreamSessions,
    id: string,
  ): { readonly sessions: UpstreamSessions; readonly session: Session } | undefined {
    for (const main of [current, ...this.#retiredOf(current.name)]) {
      for (const sessions of bothErasOf(main)) {
        const session = sessions.sessionOf(id);
        if (session) return { sessions, session };
      }
    }
    return undefined;
  }

  /** Runs a lost call again, only where both the tool and the operator allow it. */
  async #runAgain(call: ForwardedCall, state: RequestState, why: string): Promise<Result> {
    const answers = answersOf(call, state);
    // A result that was computed before the call was lost is still returned.
    const reject = () => Promise.reject(callGone(call, why));
    if (!answers) return this.#answerOnce(call, state, reject, () => false);
    const playback = new Playback(answers);
    return this.#runner.inSession(call, state, async (own, session) => {
      let result = await transmit(own, session, { input: withoutState });
      // The playback gives each answer once, so that the loop ends however often the upstream asks.
      while (isInputRequired(result)) {
        const inputResponses = playback.answer(await digestsOf(result.inputRequests ?? {}));
        if (!inputResponses) break;
        result = await transmit(own, session, { input: { requestState: result.requestState, inputResponses } });
      }
      return this.#runner.toAnswer(own, session, result, answers);
    });
  }
}

/** Removes the state and answers of the caller's retry. */
const withoutState: JsonObject = { requestState: undefined, inputResponses: undefined };
