// The calls at a legacy server. An input request ends a round with `input_required`; the retry resumes the same call.
import {
  clientCapabilitiesOf,
  type Exchange,
  type Implementation,
  type InputRequests,
  invalidParams,
  isElicitResult,
  isInputMethod,
  isMcpError,
  type JsonObject,
  type JsonRpcRequest,
  type ModernRequest,
  metaKey,
  method,
  missingCapabilitiesFor,
  missingClientCapability,
  OpenMap,
  parseInputParams,
  type RequestId,
  type Result,
  type Root,
} from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";
import type { OpenRequests } from "../call/open-requests.ts";
import type { PendingCalls } from "../call/pending-calls.ts";
import type { Requester } from "../call/requester.ts";
import { openRound, type Round } from "../call/round.ts";
import type { TransportError } from "../call/transport-error.ts";
import { type FilledRetries, fillRetries, type RetryOptions } from "../http/retries.ts";
import { type Attribution, createAttribution } from "./attribution.ts";
import { type Call, createCall, endRound, renewId } from "./call.ts";
import { CallRepair } from "./call-repair.ts";
import { type CallerRoots, createCallerRoots } from "./caller-roots.ts";
import { createElicitingTools, type ElicitingTools, type ElicitingToolsOptions } from "./eliciting-tools.ts";
import { InputRequestForwarder } from "./input-requests.ts";
import { observeParams } from "./observed-params.ts";
import { type TurnOptions, Turns } from "./turns.ts";

export interface CallOptions extends ElicitingToolsOptions, TurnOptions {
  /** Repeats calls that certainly did not start. Default false. */
  retries?: RetryOptions | false;
  /** Answers every `roots/list` of the server at once. Default: the request goes to the caller of a call. */
  roots?: readonly Root[];
  /**
   * Every call of this connection has the same caller. A `roots/list` outside of a call then gets the roots that the caller
   * gave last, or waits for its next call. Default false: it is refused.
   */
  hasOneCaller?: boolean;
}

export interface CallContext extends CallOptions {
  readonly requester: Requester;
  readonly revision: Revision;
  readonly open: OpenRequests;
  readonly pendingCalls: PendingCalls;
  /** True when a request that failed with `error` may be sent again. */
  mend(error: unknown, request: ModernRequest): Promise<boolean>;
  readonly serverInfo: Implementation | undefined;
  readonly peer: string;
  /** The transport usually shows which request a message belongs to. */
  readonly showsOrigin: boolean;
  canAnswer(): boolean;
}

export class Calls {
  /** The calls that the server has not answered, the oldest first. Pending calls are among them. */
  readonly running: Pick<OpenMap<Call>, "get" | "values">;
  readonly #running: OpenMap<Call> = new OpenMap();
  readonly #context: Pick<CallContext, "requester" | "revision" | "serverInfo" | "pendingCalls" | "open" | "mend">;
  readonly #meta: JsonObject | undefined;
  readonly #tools: ElicitingTools;
  readonly #turns: Turns;
  readonly #attribution: Attribution;
  readonly #callerRoots: CallerRoots | undefined;
  readonly #inputRequests: InputRequestForwarder;
  readonly #retries: FilledRetries | undefined;

  constructor(context: CallContext) {
    const { requester, revision, serverInfo, peer, roots, canAnswer, pendingCalls } = context;
    this.running = this.#running;
    // Without the options: this object exists once for each session of a gateway.
    this.#context = { requester, revision, serverInfo, pendingCalls, open: context.open, mend: context.mend };
    this.#retries = fillRetries(context.retries ?? false);
    this.#meta = serverInfo && { [metaKey.serverInfo]: serverInfo };
    const tools = createElicitingTools(context, roots !== undefined);
    this.#tools = tools;
    this.#turns = new Turns({
      ...context,
      isAlwaysNeeded: !context.showsOrigin,
      isAsking: ({ request }) => tools.isKnownToAsk(request),
    });
    this.#attribution = createAttribution({ running: this.#running, turns: this.#turns, tools });
    this.#callerRoots = context.hasOneCaller ? createCallerRoots({ requester }) : undefined;
    this.#inputRequests = new InputRequestForwarder({
      ...{ requester, revision, peer, roots, canAnswer, tools, meta: this.#meta },
      ...{ attribution: this.#attribution, turns: this.#turns, callerRoots: this.#callerRoots },
      failsWhenFull: pendingCalls.whenFull === "fail-call",
      fail: (call, error) => this.#failAsking(call, error),
      addPending: (call, inputRequests) => this.#addPending(call, inputRequests),
    });
  }

  /** Calls that may ask are in progress, and others may have to wait for them. */
  get isAsking(): boolean {
    return this.#turns.isTaken;
  }

  /** With `task`, as a task whose params these are. */
  run(request: ModernRequest, exchange: Exchange, task?: JsonObject): Promise<Result> {
    if (isInputMethod(request.method)) {
      const { requestState, inputResponses = {} } = parseInputParams(request.params);
      if (requestState !== undefined) {
        return this.#context.pendingCalls.resume(requestState, inputResponses, exchange.caller?.id)(request, exchange);
      }
      if (Object.values(inputResponses).some(isDeclined)) return Promise.resolve(this.#declined(request));
    }
    return this.#start(request, exchange, task);
  }

  /** Takes an elicitation, sampling or roots request of the server. */
  receiveInputRequest(message: JsonRpcRequest, origin?: RequestId): void {
    this.#inputRequests.receiveInputRequest(message, origin);
  }

  /** The server has cancelled its request. */
  withdraw(id: RequestId): void {
    this.#inputRequests.withdraw(id);
  }

  /**
   * The rounds that wait for the request `origin`. Without it, every round that is waited for if they certainly belong to one
   * user, else none.
   */
  waiting(origin?: RequestId): Round[] {
    if (origin === undefined && !this.#attribution.isOneConversation()) return [];
    const calls = origin === undefined ? this.#running.values : [this.#running.get(origin)];
    return calls.map((call) => (call?.isSent ? call.round : undefined)).filter((round) => round !== undefined);
  }

  /** The server has answered a request. */
  answered(id: RequestId | undefined): void {
    this.#turns.cancelled.settle(id);
  }

  /** The server has forgotten its calls. */
  forgetCancelled(): void {
    this.#turns.cancelled.clear();
  }

  /** The connection has ended, and calls that wait for their turn end with it. */
  endWaiting(error: TransportError): void {
    this.#turns.close(error);
  }

  /** Drops pending calls. Running calls end with their requests. */
  close(): void {
    this.#context.pendingCalls.drop(({ owner }) => owner === this);
    this.#callerRoots?.close();
  }

  #start(request: ModernRequest, exchange: Exchange, task: JsonObject | undefined): Promise<Result> {
    const turn = this.#tools.turnOf(request, clientCapabilitiesOf(request));
    const call = createCall(this.#context.requester.mint(), { request, exchange, task, turn });
    const { result } = this.#beginRound(call, request, exchange);
    this.#running.add(call.id, call);
    if (call.capabilities.roots) {
      this.#callerRoots?.update(request.rootsVersion);
      this.#inputRequests.askRoots(call);
    }
    const waiting = this.#turns.begin(call);
    if (waiting === undefined) void this.#transmit(call);
    else
      waiting.then(
        () => this.#transmit(call),
        (error: Error) => this.#failUnsent(call, error),
      );
    return result;
  }

  #failUnsent(call: Call, error: Error): void {
    this.#running.take(call.id);
    endRound(call, error);
  }

  /** Never rejects. */
  async #transmit(call: Call): Promise<void> {
    call.isSent = true;
    const { requester, revision, serverInfo } = this.#context;
    const { request, task } = call;
    const hasProgress = request.params._meta.progressToken !== undefined;
    let outcome: Result | Error | undefined;
    let repair: CallRepair | undefined;
    for (let attempt = 1; outcome === undefined; attempt++) {
      if (attempt > 1) renewId(call, this.#running, requester.mint());
      const own = revision.toServerParams(request.method, request.params, hasProgress ? call.id : undefined);
      const params = task ? { ...own, task } : own;
      observeParams(params, request);
      try {
        const result = await requester.request(call.id, request.method, params);
        outcome = revision.fromServerResult(request.method, result, serverInfo);
      } catch (error) {
        repair ??= new CallRepair(call, { retries: this.#retries, mend: this.#context.mend });
        const failure = await repair.after(error as Error);
        if (failure) outcome = this.#toOutcome(call, failure);
      }
    }
    this.#finish(call, outcome);
  }

  #addPending(call: Call, inputRequests: InputRequests): string | undefined {
    return this.#context.pendingCalls.add({
      owner: this,
      request: call.request,
      callerId: call.callerId,
      inputRequests,
      resume: (answers, request, exchange) => this.#resume(call, answers, request, exchange),
      cancel: (reason) => this.#cancel(call, reason),
    });
  }

  #resume(call: Call, answers: JsonObject, request: ModernRequest, exchange: Exchange): Promise<Result> {
    const { result } = this.#beginRound(call, request, exchange);
    if (call.outcome) endRound(call, call.outcome);
    else this.#answer(call, answers);
    return result;
  }

  /** The call waits for its turn first: a server that has its answers may ask again. */
  #answer(call: Call, answers: JsonObject): void {
    const waiting = this.#turns.resume(call);
    if (waiting === undefined) this.#inputRequests.answer(call, answers);
    else
      waiting.then(
        () => this.#inputRequests.answer(call, answers),
        () => {},
      );
  }

  #beginRound(call: Call, request: ModernRequest, exchange: Exchange): Round {
    const round = openRound(this.#context.open, request, exchange, (reason) => {
      call.round = undefined;
      this.#cancel(call, reason);
    });
    call.round = round;
    call.capabilities = clientCapabilitiesOf(request);
    return round;
  }

  #finish(call: Call, outcome: Result | Error): void {
    const wasRunning = this.#running.take(call.id) !== undefined;
    const wasAsked = call.inputRequestCount > 0;
    if (wasRunning && !wasAsked && !(outcome instanceof Error)) this.#tools.learn(call.request, false);
    if (wasAsked) this.#inputRequests.handOver(call);
    this.#turns.end(call);
    if (call.round) endRound(call, outcome);
    else call.outcome = outcome;
  }

  #cancel(call: Call, reason: string): void {
    this.#running.take(call.id);
    this.#inputRequests.reject(call, reason);
    if (call.isSent) this.#context.requester.cancel(call.id, reason);
    this.#turns.leave(call);
  }

  #failAsking(call: Call, error: TransportError): void {
    const { round } = call;
    call.round = undefined;
    this.#cancel(call, "the server cannot be answered");
    round?.end(error);
  }

  /** A server that needs a URL elicitation first ends the call and expects a new one, which needs no state. */
  #toOutcome(call: Call, error: Error): Result | Error {
    if (!isMcpError(error)) return error;
    const { revision } = this.#context;
    const inputRequests = revision.urlInputRequestsOf(error);
    const [first] = Object.values(inputRequests ?? {});
    if (!first || !isInputMethod(call.request.method)) {
      return revision.fromServerError(call.request.method, error, call.request.params);
    }
    const missing = missingCapabilitiesFor(first, call.capabilities);
    if (missing) return missingClientCapability({ ...missing });
    return { resultType: "input_required", inputRequests, ...(this.#meta && { _meta: this.#meta }) };
  }

  /** The user declined a URL elicitation of a stateless round: calling the server again would ask the user again. */
  #declined(request: ModernRequest): Result {
    if (request.method !== method.callTool) throw invalidParams("the user declined what the server needs");
    const content = [{ type: "text", text: "the user declined what the tool needs" }];
    const { revision, serverInfo } = this.#context;
    return revision.fromServerResult(request.method, { content, isError: true }, serverInfo);
  }
}

function isDeclined(answer: unknown): boolean {
  return isElicitResult(answer) && answer.action !== "accept";
}
