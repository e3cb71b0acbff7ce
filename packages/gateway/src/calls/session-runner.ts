// Runs a forwarded call in its session: finds the session, makes a task of the call where that is due, tries the other era
// where the upstream refuses one, and forwards input requests to the caller.
import { isTransportError } from "@lethe/client";
import { isSessionLost } from "@lethe/client/edge";
import {
  clientCapabilitiesOf,
  errorCode,
  isInputRequired,
  isTaskResult,
  McpError,
  type ModernRequest,
  method,
  type Result,
  taskAugmentationOf,
} from "@lethe/protocol";
import { declaredExtensionsOf } from "../extensions/declared-extensions.ts";
import { withStartProgress } from "../upstreams/connection/start-progress.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import type { RemoteOwner } from "../upstreams/sessions/session-leases.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";
import { traceOf } from "./call-trace.ts";
import { toCallerResult, toSessionGoneResult } from "./caller-result.ts";
import { successorOf, untilReady } from "./current-upstream.ts";
import { eraSwitched, isEraRefused, mayRunAgain, noteInputRequired, switchEra } from "./era-refusal.ts";
import { type Answers, InputRequestForwarder, type InputRequestOptions } from "./forward-input-requests.ts";
import type { ForwardToOwner } from "./forward-to-owner.ts";
import { type CallTasks, type ForwardedCall, withSessions } from "./forwarded-call.ts";
import { handOn } from "./hand-on.ts";
import { type AnswerOnce, isRefusal } from "./replay-protection.ts";
import { isNotStarted, type RequestHold } from "./request-hold.ts";
import type { RequestState } from "./request-state.ts";
import { type CallRound, noRound, transmit } from "./send-upstream.ts";
import { handleOf } from "./session-argument.ts";
import { lossFor, tellLoss } from "./session-loss.ts";

export interface SessionRunnerOptions extends InputRequestOptions {
  readonly tasks: CallTasks;
  readonly answerOnce: AnswerOnce;
  readonly forwardToOwner: ForwardToOwner;
  readonly hold: RequestHold;
  /** The sessions of an upstream in the active configuration. Default: only those that a request is for. */
  currentOf?(upstream: string): UpstreamSessions | undefined;
  /** Changes a result so that its references lead to the upstream. Default: references stay those of the upstream. */
  publish?(result: Result, upstream: string, request: ModernRequest): Result;
}

type Use = (call: ForwardedCall) => Promise<Result>;
type UseInSession = (call: ForwardedCall, session: Session) => Promise<Result>;

export class SessionRunner {
  readonly #options: SessionRunnerOptions;
  readonly #inputRequests: InputRequestForwarder;
  readonly #hold: RequestHold;
  readonly #currentOf: (upstream: string) => UpstreamSessions | undefined;

  constructor(options: SessionRunnerOptions) {
    const { currentOf, hold } = options;
    this.#options = options;
    this.#hold = hold;
    this.#inputRequests = new InputRequestForwarder(options);
    this.#currentOf = (upstream) => currentOf?.(upstream);
  }

  /** The session stays open while `use` runs. A call that cannot start is held. */
  inSession(call: ForwardedCall, state: RequestState | undefined, use: UseInSession): Promise<Result> {
    return this.#inSession(call, state, use, this.#hold.now());
  }

  /** `since` is undefined for an attempt of a held call. */
  async #inSession(
    call: ForwardedCall,
    state: RequestState | undefined,
    use: UseInSession,
    since?: number,
  ): Promise<Result> {
    const { target, request } = call;
    const { sessions } = target;
    const handle = state?.handle ?? handleOf(request.params, target.hasSessionArgument === true);
    let session: Session | RemoteOwner;
    let deadline = 0;
    try {
      const begins = request.method === method.callTool;
      const declared = declaredExtensionsOf(clientCapabilitiesOf(request));
      const { caller, isForwarded } = call.exchange;
      // A request is handed on once at most: at its first attempt, by the replica that received it from its caller.
      const mayHandOn = since !== undefined && isForwarded !== true;
      const wish = { handle, begins, declared, isForwarded, isHandedOn: request.isHandedOn, mayHandOn };
      const found = sessions.sessionFor(caller?.id, wish);
      const findAgain = () => sessions.sessionFor(caller?.id, { ...wish, mayHandOn: false });
      if (found instanceof Promise) {
        deadline = Date.now() + sessions.startWaitMs;
        const steps = traceOf(request)?.steps;
        steps?.add({ from: steps.self, to: steps.self, kind: "wait", label: "finds or opens its session" });
        session = await withStartProgress(sessions.name, found, request, call.exchange);
      } else session = found;
      if ("replica" in session && session.handOver) {
        const handed = await handOn(call, session.handOver, this.#options.forwardToOwner);
        if (handed) return handed.result;
        session = await findAgain();
      }
      for (let isFirst = true; "replica" in session; isFirst = false) {
        const forwarded = await this.#options.forwardToOwner(call, session);
        if ("result" in forwarded) return forwarded.result;
        if (!isFirst) throw forwarded.unreached;
        // The request has not begun there, and a replica that stops leaves its sessions to others.
        session = await findAgain();
      }
    } catch (error) {
      const next = deadline > 0 && successorOf(call, error, this.#currentOf);
      if (next) {
        const ready = await untilReady(next, { currentOf: this.#currentOf, deadline });
        return this.#inSession(ready, state, use, since);
      }
      if (since === undefined || !isNotStarted(error)) return toSessionGoneResult(error, request);
      return this.#retry(call, state, use, since, error);
    }
    let failure: McpError;
    sessions.enter(session);
    try {
      if (state === undefined) return await this.#attemptFirst(call, session, use);
      if (!state.round) return await this.#attemptIn(call, session, use);
      return await this.#options.answerOnce(call, state, () => this.#attemptIn(call, session, use), isRefusal);
    } catch (error) {
      if (since === undefined || !isNotStarted(error)) throw error;
      failure = error;
    } finally {
      sessions.leave(session);
    }
    // Report the loss to the caller at once.
    if (isSessionLost(failure.cause)) return this.#inSession(call, state, use);
    return this.#retry(call, state, use, since, failure);
  }

  /** The first round of a call. */
  #attemptFirst(call: ForwardedCall, session: Session, use: UseInSession): Promise<Result> {
    const { sessions } = call.target;
    const loss = lossFor(sessions, session, call.request);
    if (loss === undefined) return this.#attemptIn(call, session, use);
    return tellLoss(sessions, session, loss, () => this.#attemptIn(call, session, use));
  }

  /** Each attempt uses the sessions of the active configuration. */
  #retry(
    call: ForwardedCall,
    state: RequestState | undefined,
    use: UseInSession,
    since: number,
    failure: McpError,
  ): Promise<Result> {
    let current = call;
    const { request, exchange } = call;
    return this.#hold.retry({ sessions: call.target.sessions, request, exchange, since }, failure, () => {
      current = successorOf(current, failure, this.#currentOf) ?? current;
      return this.#inSession(current, state, use);
    });
  }

  /** Runs the call, as a task where the gateway makes one of it. */
  attempt(call: ForwardedCall, session: Session, use: Use): Promise<Result> {
    const { tasks } = this.#options;
    if (tasks.covers(call, session)) return this.#runAsTask(call, session, use);
    if (tasks.isDue(call, session)) return this.#attemptAsTask(call, session, use);
    if (!call.task && !call.target.taskSupport && taskAugmentationOf(call.request)) {
      throw new McpError(errorCode.methodNotFound, `${call.request.params.name} cannot run as a task`);
    }
    return use(call);
  }

  /** Sends one round. */
  async run(call: ForwardedCall, session: Session, round: CallRound = noRound): Promise<Result> {
    let result: Result;
    try {
      result = await transmit(call, session, round);
    } catch (error) {
      if (session.key.handle === undefined && isLostTrack(error)) return this.#runElsewhere(call, session, error);
      const elsewhere = isEraRefused(call, error) && (await this.#inOtherEra(call, error));
      if (elsewhere) return elsewhere.result;
      throw error;
    }
    const elsewhere = isEraRefused(call, result) && (await this.#inOtherEra(call, result));
    return elsewhere ? elsewhere.result : this.toAnswer(call, session, result, round.answers);
  }

  /** What the caller gets for a result of the upstream. */
  toAnswer(call: ForwardedCall, session: Session, result: Result, answers?: Answers): Result | Promise<Result> {
    if (isInputRequired(result)) {
      noteInputRequired(call, session);
      return this.#inputRequests.forward(call, session, result, answers);
    }
    const { tasks, publish } = this.#options;
    if (isTaskResult(result)) return tasks.adopt(call, session, result);
    const own = toCallerResult(result, call, session);
    const isPublishedNow = publish && !call.task && !call.isPublishedLater;
    return isPublishedNow ? publish(own, call.target.sessions.name, call.request) : own;
  }

  #attemptIn(call: ForwardedCall, session: Session, use: UseInSession): Promise<Result> {
    return this.attempt(call, session, (own) => use(own, session));
  }

  /** A modern upstream decides which calls become tasks, but a client of 2025-11-25 that requests a task must get one. */
  async #attemptAsTask(call: ForwardedCall, session: Session, use: Use): Promise<Result> {
    const result = await use({ ...call, isPublishedLater: true });
    return result.resultType === "complete" ? this.#runAsTask(call, session, async () => result) : result;
  }

  /** References of a result that outlives the request are published when the task is read, at the endpoint that reads it. */
  async #runAsTask(call: ForwardedCall, session: Session, use: Use): Promise<Result> {
    const { tasks, publish } = this.#options;
    const result = await tasks.run(call, session, use);
    return publish && !isTaskResult(result) ? publish({ ...result }, call.target.sessions.name, call.request) : result;
  }

  /** Undefined where the upstream has no other era. Rejects with McpError for a tool that may not run twice. */
  async #inOtherEra(call: ForwardedCall, refusal: unknown): Promise<{ readonly result: Result } | undefined> {
    const sessions = await switchEra(call);
    if (!sessions) return undefined;
    if (!mayRunAgain(call, refusal)) throw eraSwitched(call);
    const again = withSessions(call, sessions);
    return { result: await this.inSession(again, undefined, (own, session) => this.run(own, session)) };
  }

  /** The upstream may still ask for a cancelled call, so that this call, which has not been sent, needs another session. */
  async #runElsewhere(call: ForwardedCall, session: Session, error: unknown): Promise<Result> {
    const { sessions } = call.target;
    sessions.replace(session);
    const declared = declaredExtensionsOf(clientCapabilitiesOf(call.request));
    const { caller, isForwarded } = call.exchange;
    const next = await sessions.sessionFor(caller?.id, { declared, isForwarded });
    if ("replica" in next) throw error;
    sessions.enter(next);
    try {
      const send = async () => this.toAnswer(call, next, await transmit(call, next));
      const loss = lossFor(sessions, next, call.request);
      return await (loss === undefined ? send() : tellLoss(sessions, next, loss, send));
    } finally {
      sessions.leave(next);
    }
  }
}

/** The connection cannot tell which call a later input request would belong to. */
function isLostTrack(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isTransportError(cause) && cause.reason === "lost_track";
}
