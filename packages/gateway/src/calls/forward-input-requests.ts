// Forwards the input requests of an upstream (elicitation, sampling, roots) to the caller, and seals what the next round needs
// into the `requestState`.
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
import type { Tracing } from "../tracing/tracing.ts";
import { upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import { digestsOf } from "./answer-record.ts";
import { callIdOf, nameCall } from "./call-trace.ts";
import { toCallerResult } from "./caller-result.ts";
import type { ForwardedCall, UpstreamTarget } from "./forwarded-call.ts";
import { type GatewayPendingCalls, SessionHold } from "./pending-call.ts";
import type { AnswerRecord, RequestState, RequestStateSeal } from "./request-state.ts";

export type Answers = AnswerRecord["answers"];

export interface InputRequestOptions {
  readonly seal: RequestStateSeal;
  readonly directory: Directory;
  readonly pendingCalls: GatewayPendingCalls;
  /** Records how long input requests wait. Default: not recorded. */
  readonly tracing?: Tracing | undefined;
}

export class InputRequestForwarder {
  readonly #seal: RequestStateSeal;
  readonly #directory: Directory;
  readonly #pendingCalls: GatewayPendingCalls;
  readonly #tracing: Tracing | undefined;

  constructor({ seal, directory, pendingCalls, tracing }: InputRequestOptions) {
    this.#seal = seal;
    this.#directory = directory;
    this.#pendingCalls = pendingCalls;
    this.#tracing = tracing;
  }

  /** `answers` are those of the rounds before, for a call that may run again. Rejects with McpError. */
  async forward(
    call: ForwardedCall,
    session: Session,
    result: InputRequiredResult,
    answers: Answers = {},
  ): Promise<Result> {
    const pendingId = session.connection?.pendingCalls && result.requestState;
    nameCall(call.request);
    try {
      requireInputRequests(result, call.target);
      requireDeclared(result, call.request);
      if (pendingId !== undefined) this.#hold(pendingId, call, session, result);
      const state = this.#stateOf(call, session, result);
      const shown = toCallerResult(result, call, session);
      if (result.inputRequests) shown.inputRequests = withParams(result.inputRequests);
      if (await call.task?.keep(state)) return withoutState(shown);
      const needsState = state.inner !== undefined || state.pending !== undefined || state.handle !== undefined;
      if (needsState) shown.requestState = await this.#sealState(call, result, answers, state);
      return shown;
    } catch (error) {
      if (pendingId !== undefined) this.#pendingCalls.abandon(pendingId);
      throw error;
    }
  }

  /** Keeps the session open, and abandons the call when its caller disconnects or cancels before it knows the state. */
  #hold(pendingId: string, call: ForwardedCall, session: Session, { inputRequests = {} }: InputRequiredResult): void {
    const wait = this.#tracing?.startWait(call.target.sessions.name, inputRequests);
    this.#pendingCalls.hold(pendingId, new SessionHold(call, session, wait));
    onAbort(call.exchange, () => this.#pendingCalls.abandon(pendingId));
  }

  #stateOf(
    { request, target: { sessions } }: ForwardedCall,
    session: Session,
    { requestState }: InputRequiredResult,
  ): RequestState {
    const { handle } = session.key;
    const call = callIdOf(request);
    const span = this.#tracing?.current();
    const pending = { replica: this.#directory.self, session: session.id };
    return {
      upstream: sessions.name,
      ...(sessions.isLegacyEra && { era: "legacy" as const }),
      ...(requestState !== undefined &&
        (session.connection?.pendingCalls ? { pending: { ...pending, id: requestState } } : { inner: requestState })),
      ...(handle !== undefined && { handle }),
      ...(call !== undefined && { call }),
      ...(span !== undefined && { span }),
    };
  }

  /** Leaves the record out where the token would be too large: the call can then not run again. */
  async #sealState(
    { request, exchange, target }: ForwardedCall,
    { inputRequests = {} }: InputRequiredResult,
    answers: Answers,
    state: RequestState,
  ): Promise<string> {
    const record = target.isRepeatable && { record: { asked: await digestsOf(inputRequests), answers } };
    for (const candidate of record ? [{ ...state, ...record }, state] : [state]) {
      try {
        return await this.#seal.seal(candidate, request, exchange);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
    throw upstreamError(state.upstream, "invalid", "returned a requestState that is too large to forward");
  }
}

/** The state of a task is kept with the task. */
function withoutState({ requestState: _, ...shown }: Result): Result {
  return shown as Result;
}

/** Throws unless a client can answer everything that the upstream asks. Only a client knows what a later revision may ask. */
function requireInputRequests(
  { inputRequests = {} }: InputRequiredResult,
  { sessions: { name: upstream, mask }, revision }: UpstreamTarget,
): void {
  if (!isJsonObject(inputRequests))
    throw upstreamError(upstream, "invalid", "returned inputRequests that are not an object");
  for (const [key, request] of Object.entries(inputRequests)) {
    if (isJsonObject(request) && (isInputRequest(request) || (revision !== undefined && isUnknown(request)))) continue;
    throw upstreamError(upstream, "invalid", `returned an invalid input request under "${mask.text(key)}"`);
  }
}

function isUnknown({ method: requested }: JsonObject): boolean {
  return typeof requested === "string" && !isInputRequestMethod(requested);
}

function isInputRequest({ method: requested, params }: JsonObject): boolean {
  return (
    typeof requested === "string" &&
    isInputRequestMethod(requested) &&
    (requested === "roots/list" || isJsonObject(params))
  );
}

/** E-23: the upstream knows which capabilities the caller declared; an upstream that asks for more is refused. */
function requireDeclared({ inputRequests = {} }: InputRequiredResult, request: ModernRequest): void {
  const declared = clientCapabilitiesOf(request);
  for (const inputRequest of Object.values(inputRequests)) {
    const missing = missingCapabilitiesFor(inputRequest, declared);
    if (missing) throw missingClientCapability({ ...missing });
  }
}
