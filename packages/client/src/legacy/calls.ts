// The calls that run at a legacy server (D-51): a question of the server ends a round with `input_required`, and the
// retry goes on with the same call. The server's tool runs once, however many rounds there are.
import {
  clientCapabilitiesOf,
  type Exchange,
  type Implementation,
  invalidParams,
  isElicitResult,
  isInputMethod,
  isMcpError,
  type JsonObject,
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
import type { Requester } from "../call/requester.ts";
import { openRound, type Round } from "../call/round.ts";
import type { TransportError } from "../call/transport-error.ts";
import { createAttribution } from "./attribution.ts";
import { type Call, createCall, endRound } from "./call.ts";
import { createCallerRoots } from "./caller-roots.ts";
import { createElicitingTools, type ElicitingToolsOptions } from "./eliciting-tools.ts";
import { createInputRequestRouter, type InputRequestRouter } from "./input-requests.ts";
import { createParking } from "./parking.ts";
import { readAnswers } from "./read-input-request.ts";
import { createTurns, type TurnOptions } from "./turns.ts";

export interface CallOptions extends ElicitingToolsOptions, TurnOptions {
  /** How many calls may wait for an answer of their caller; a question beyond is refused. Default 100. */
  maxParkedCalls?: number;
  /** How long such a call waits before it is cancelled, in milliseconds. Default 10 minutes. */
  parkedCallTtlMs?: number;
  /** Answers every `roots/list` of the server at once; else a caller is asked, when there is one. */
  roots?: readonly Root[];
  /**
   * Every call of this connection is of the same caller. A `roots/list` outside of a call then gets the roots that the caller
   * gave last, or waits for its next call. Default false: it is refused.
   */
  hasOneCaller?: boolean;
}

export interface CallContext extends CallOptions {
  readonly requester: Requester;
  readonly revision: Revision;
  readonly open: OpenRequests;
  /** True when a request that failed so may be sent again. */
  mend(error: unknown, request: ModernRequest): Promise<boolean>;
  readonly serverInfo: Implementation | undefined;
  readonly peer: string;
  /** The transport usually shows which request a message belongs to. */
  readonly showsOrigin: boolean;
  canAnswer(): boolean;
}

export interface Calls extends Pick<InputRequestRouter, "ask" | "withdraw"> {
  /** Oldest first; parked ones included. */
  readonly running: Pick<OpenMap<Call>, "get" | "values">;
  /** Who waits for the request `origin`. Without it all who wait, if they are certainly one user, else nobody. */
  waiting(origin?: RequestId): Round[];
  /** The server has answered a request. */
  answered(id: RequestId | undefined): void;
  /** The server has forgotten its calls. */
  forgetLeft(): void;
  /** Calls that may ask are in progress, and others may have to wait for them. */
  readonly isAsking: boolean;
  /** With `task`, as a task whose params these are (D-38). */
  run(request: ModernRequest, exchange: Exchange, task?: JsonObject): Promise<Result>;
  /** The connection has ended, and calls that wait for their turn end with it. */
  endWaiting(error: TransportError): void;
  /** Forgets parked calls. What runs ends with its requests. */
  close(): void;
}

/** The first, one in a new session, and one more for a request that may be repeated. */
const maxAttempts = 3;

export function createCalls(context: CallContext): Calls {
  const { requester, open, mend, serverInfo, peer, revision } = context;
  const running = new OpenMap<Call>();
  const meta = serverInfo && { [metaKey.serverInfo]: serverInfo };
  const parking = createParking<Call>({
    ...(context.maxParkedCalls !== undefined && { maxParked: context.maxParkedCalls }),
    ...(context.parkedCallTtlMs !== undefined && { ttlMs: context.parkedCallTtlMs }),
    onExpired: (call) => cancel(call, "the caller brought no answer in time"),
  });
  const tools = createElicitingTools(context, context.roots !== undefined);
  const turns = createTurns({
    ...context,
    isAlwaysNeeded: !context.showsOrigin,
    isAsking: ({ request }) => tools.isKnownToAsk(request),
  });
  const attribution = createAttribution({ running, turns, tools });
  const callerRoots = context.hasOneCaller ? createCallerRoots({ requester }) : undefined;
  const questions = createInputRequestRouter({
    ...{ callerRoots, requester, revision, attribution, turns, tools, parking, meta, peer },
    roots: context.roots,
    canAnswer: context.canAnswer,
    fail(call, error) {
      const { round } = call;
      call.round = undefined;
      cancel(call, "the server cannot be answered");
      round?.end(error);
    },
  });

  function run(request: ModernRequest, exchange: Exchange, task?: JsonObject): Promise<Result> {
    if (isInputMethod(request.method)) {
      const { requestState, inputResponses } = parseInputParams(request.params);
      if (requestState !== undefined) return resume(request, exchange, requestState, inputResponses ?? {});
      if (inputResponses && Object.values(inputResponses).some(isRefusal)) return Promise.resolve(declined(request));
    }
    return start(request, exchange, task);
  }

  function start(request: ModernRequest, exchange: Exchange, task: JsonObject | undefined): Promise<Result> {
    const turn = tools.turnOf(request, clientCapabilitiesOf(request));
    const call = createCall(requester.mint(), { request, exchange, task, turn });
    const { result } = beginRound(call, request, exchange);
    running.add(call.id, call);
    if (call.capabilities.roots) questions.askRoots(call);
    const waiting = turns.begin(call);
    if (waiting !== undefined)
      waiting.then(
        () => transmit(call),
        (error: Error) => fail(call, error),
      );
    else void transmit(call);
    return result;
  }

  /** It has not been sent. */
  function fail(call: Call, error: Error): void {
    running.take(call.id);
    endRound(call, error);
  }

  /** Never rejects. */
  async function transmit(call: Call): Promise<void> {
    call.isSent = true;
    const { id, request, task } = call;
    const token = request.params._meta.progressToken === undefined ? undefined : id;
    const own = revision.toServerParams(request.method, request.params, token);
    const params = task ? { ...own, task } : own;
    let outcome: Result | Error | undefined;
    for (let attempt = 1; outcome === undefined; attempt++) {
      try {
        const result = await requester.request(id, request.method, params);
        outcome = revision.fromServerResult(request.method, result, serverInfo);
      } catch (error) {
        const failure = attempt === maxAttempts ? (error as Error) : await tryToMend(error as Error, call);
        if (failure) outcome = toOutcome(call, failure);
      }
    }
    finish(call, outcome);
  }

  /**
   * What there is to say of a failed request, or undefined when it may be sent again: never for a caller who has gone,
   * nor for a call that has asked its caller already.
   */
  async function tryToMend(error: Error, call: Call): Promise<Error | undefined> {
    if (call.asked > 0 || !call.round) return error;
    try {
      return (await mend(error, call.request)) && call.round ? undefined : error;
    } catch (failure) {
      return failure as Error;
    }
  }

  /** Every failure reads the same: nobody learns whether a token of somebody else exists. */
  function resume(request: ModernRequest, exchange: Exchange, token: string, responses: JsonObject): Promise<Result> {
    const call = parking.find(token);
    if (!call || call.callerId !== exchange.caller?.id || !isSameTarget(call.request, request)) {
      throw invalidParams("invalid or expired requestState");
    }
    const answers = readAnswers(call.questions, responses);
    const { result } = beginRound(call, request, exchange);
    parking.release(token);
    if (call.outcome) endRound(call, call.outcome);
    else goOn(call, answers);
    return result;
  }

  /** Not before its turn: when it has its answers, the server may ask again. */
  function goOn(call: Call, answers: ReadonlyMap<string, JsonObject>): void {
    const waiting = turns.resume(call);
    if (waiting !== undefined)
      waiting.then(
        () => questions.answer(call, answers),
        () => {},
      );
    else questions.answer(call, answers);
  }

  function beginRound(call: Call, request: ModernRequest, exchange: Exchange): Round {
    const round = openRound(open, request, exchange, (reason) => {
      call.round = undefined;
      cancel(call, reason);
    });
    call.round = round;
    call.capabilities = clientCapabilitiesOf(request);
    return round;
  }

  function waiting(origin?: RequestId): Round[] {
    if (origin === undefined && !attribution.isOneConversation()) return [];
    const calls = origin === undefined ? running.values : [running.get(origin)];
    return calls.map((call) => (call?.isSent ? call.round : undefined)).filter((round) => round !== undefined);
  }

  function finish(call: Call, outcome: Result | Error): void {
    const wasRunning = running.take(call.id) !== undefined;
    if (wasRunning && call.asked === 0 && !(outcome instanceof Error)) tools.learn(call.request, false);
    if (call.asked > 0) questions.handOver(call);
    turns.end(call);
    if (call.round) endRound(call, outcome);
    else call.outcome = outcome;
  }

  function cancel(call: Call, reason: string): void {
    running.take(call.id);
    questions.refuse(call, reason);
    if (call.isSent) requester.cancel(call.id, reason);
    turns.leave(call);
  }

  /** A server that wants its user elsewhere first ends the call and expects another one: no state is needed (D-39). */
  function toOutcome(call: Call, error: Error): Result | Error {
    if (!isMcpError(error)) return error;
    const inputRequests = revision.urlInputRequestsOf(error);
    const [first] = Object.values(inputRequests ?? {});
    if (!first || !isInputMethod(call.request.method)) {
      return revision.fromServerError(call.request.method, error, call.request.params);
    }
    const missing = missingCapabilitiesFor(first, call.capabilities);
    if (missing) return missingClientCapability({ ...missing });
    return { resultType: "input_required", inputRequests, ...(meta && { _meta: meta }) };
  }

  /** The answer to a stateless round in which the user said no: asking the server again would ask the user again. */
  function declined(request: ModernRequest): Result {
    if (request.method !== method.callTool) throw invalidParams("the user declined what the server needs");
    const content = [{ type: "text", text: "the user declined what the tool needs" }];
    return revision.fromServerResult(request.method, { content, isError: true }, serverInfo);
  }

  return {
    ...{ running, waiting, run, ask: questions.ask, withdraw: questions.withdraw },
    close() {
      parking.close();
      callerRoots?.close();
    },
    endWaiting: turns.close,
    answered: turns.left.settle,
    forgetLeft: turns.left.clear,
    get isAsking() {
      return turns.isTaken;
    },
  };
}

function isRefusal(answer: unknown): boolean {
  return isElicitResult(answer) && answer.action !== "accept";
}

function isSameTarget(one: ModernRequest, other: ModernRequest): boolean {
  return one.method === other.method && one.params.name === other.params.name && one.params.uri === other.params.uri;
}
