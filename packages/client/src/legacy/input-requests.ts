// What a legacy server asks, and whom (D-23, D-51): the caller of the call that the request certainly belongs to. A request
// that may be of several users' calls is refused.
import {
  errorCode,
  type InputRequests,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  missingCapabilitiesFor,
  type RequestId,
  type Result,
  type Root,
} from "@lethe/protocol";
import type { Revision } from "@lethe/protocol/revisions";
import type { Requester } from "../call/requester.ts";
import { TransportError } from "../call/transport-error.ts";
import { uncertainKey } from "../call/uncertain.ts";
import type { Attribution } from "./attribution.ts";
import { type Call, endRound, noQuestions, type ServerInputRequest } from "./call.ts";
import type { CallerRoots } from "./caller-roots.ts";
import type { ElicitingTools } from "./eliciting-tools.ts";
import type { Parking } from "./parking.ts";
import { readInputRequest, rejection } from "./read-input-request.ts";
import type { Turns } from "./turns.ts";

/** One call may have so many questions open. */
const maxQuestions = 100;

export interface InputRequestRouterContext {
  readonly requester: Requester;
  readonly revision: Revision;
  readonly attribution: Attribution;
  readonly turns: Turns;
  readonly tools: ElicitingTools;
  /** False for a server that keeps no session in which an answer could reach it. */
  canAnswer(): boolean;
  /** Ends a call at the server and for its caller. */
  fail(call: Call, error: TransportError): void;
  readonly peer: string;
  readonly parking: Parking<Call>;
  readonly roots: readonly Root[] | undefined;
  /** Undefined for a connection of several callers. */
  readonly callerRoots: CallerRoots | undefined;
  /** `_meta` of an `input_required` result. */
  readonly meta: JsonObject | undefined;
}

export interface InputRequestRouter {
  /** Takes a request of the server. Always answers it, now or when the caller has. */
  ask(message: JsonRpcRequest, origin?: RequestId): void;
  /** The server does not want to know any more. */
  withdraw(id: RequestId): void;
  /** Sends the answers; what is still open, or was not answered, is asked in the next round. */
  answer(call: Call, answers: ReadonlyMap<string, JsonObject>): void;
  refuse(call: Call, reason: string): void;
  /** Asks the caller of this call for roots that the server wanted outside of any call. */
  askRoots(call: Call): void;
  /** The call has ended and left `running`. Its open questions may belong to other calls of its conversation. */
  handOver(call: Call): void;
}

export function createInputRequestRouter(context: InputRequestRouterContext): InputRequestRouter {
  const { requester, revision, attribution, turns, tools, canAnswer, fail, peer, parking, roots, callerRoots, meta } =
    context;
  const open = new Map<RequestId, { call: Call; key: string }>();

  function ask(message: JsonRpcRequest, origin?: RequestId): void {
    const { id, method } = message;
    // An answer names its request by this id: a second one would go to whichever the server takes it for.
    if (open.has(id)) return;
    if (!canAnswer()) rejectUnanswerable(message, origin);
    else if (method === "roots/list" && roots) requester.respond(id, { roots });
    else {
      const refused = take(message, origin);
      if (refused) requester.refuse(id, refused);
    }
  }

  /** Its call would wait for an answer that cannot come. */
  function rejectUnanswerable({ id, method }: JsonRpcRequest, origin: RequestId | undefined): void {
    const { call } = attribution.ownerOf(origin, () => true);
    const what = `${peer} asks (${method}) in the middle of a call, but has no session that could take the answer`;
    if (call) fail(call, new TransportError("no_session", what));
    else requester.refuse(id, strayRefusal(method));
  }

  function take(message: JsonRpcRequest, origin?: RequestId): JsonRpcErrorObject | undefined {
    const { id, method } = message;
    const canBeAsked = ({ capabilities }: Call): boolean =>
      readInputRequest(message, revision, capabilities).input !== undefined;
    const owner = attribution.ownerOf(origin, canBeAsked);
    if (!owner.call && method === "roots/list" && callerRoots?.ask(message)) return undefined;
    if (!owner.call) return owner.why === "several" ? ambiguous(method) : strayRefusal(method);
    const { call, isUncertain } = owner;
    tools.learn(call.request, true);
    turns.asked(call);
    if (call.questions.size >= maxQuestions) return rejection("too many open questions");
    const { input, refused } = readInputRequest(message, revision, call.capabilities, call.request.prefersSession);
    if (input) give(call, { id, input, isUncertain });
    return refused;
  }

  function askRoots(call: Call): void {
    for (const message of callerRoots?.take() ?? []) {
      const { id } = message;
      const { input, refused } = readInputRequest(message, revision, call.capabilities);
      if (input) give(call, { id, input, isUncertain: false });
      else if (refused) requester.refuse(id, refused);
    }
  }

  function give(call: Call, question: ServerInputRequest): void {
    const key = `q${++call.asked}`;
    call.questions = new Map(call.questions).set(key, question);
    open.set(question.id, { call, key });
    endRoundSoon(call);
  }

  /** Not at once, so that questions which a server asks side by side reach the user side by side. */
  function endRoundSoon(call: Call): void {
    if (call.isRoundEnding || !call.round) return;
    call.isRoundEnding = true;
    setTimeout(() => {
      call.isRoundEnding = false;
      if (call.round && call.questions.size > 0) askCaller(call);
    }, 0);
  }

  function askCaller(call: Call): void {
    const requestState = parking.park(call);
    if (requestState === undefined) {
      refuse(call, "too many calls wait for an answer");
      return;
    }
    const inputRequests: InputRequests = {};
    for (const [key, { input }] of call.questions) inputRequests[key] = input;
    const result: Result = { resultType: "input_required", inputRequests, requestState };
    const isUncertain = [...call.questions.values()].some((question) => question.isUncertain);
    if (meta || isUncertain) result._meta = { ...meta, ...(isUncertain && { [uncertainKey]: true }) };
    endRound(call, result);
    turns.pause(call);
  }

  function withdraw(id: RequestId): void {
    const found = open.get(id);
    if (!found) {
      callerRoots?.withdraw(id);
      return;
    }
    open.delete(id);
    const left = new Map(found.call.questions);
    left.delete(found.key);
    found.call.questions = left;
  }

  function answer(call: Call, answers: ReadonlyMap<string, JsonObject>): void {
    for (const [key, result] of answers) {
      const question = call.questions.get(key);
      if (!question) continue;
      withdraw(question.id);
      requester.respond(question.id, result);
      if (question.input.method === "roots/list") callerRoots?.learn(result);
    }
    if (call.questions.size > 0) endRoundSoon(call);
  }

  function refuse(call: Call, reason: string): void {
    for (const { id } of call.questions.values()) requester.refuse(id, rejection(reason));
    forget(call);
  }

  function forget(call: Call): void {
    for (const { id } of call.questions.values()) open.delete(id);
    call.questions = noQuestions;
  }

  function handOver(call: Call): void {
    const left = [...call.questions.values()];
    forget(call);
    for (const question of left) {
      const canBeAsked = ({ capabilities }: Call) => !missingCapabilitiesFor(question.input, capabilities);
      const next = question.isUncertain ? attribution.nextOf(call, canBeAsked) : undefined;
      if (next && canBeAsked(next)) give(next, question);
      else if (isWaiting(question)) continue;
      else requester.refuse(question.id, strayRefusal(question.input.method));
    }
  }

  /** The call was over before its caller was asked for roots: the next one asks. */
  function isWaiting({ id, input: { method } }: ServerInputRequest): boolean {
    return method === "roots/list" && callerRoots?.ask({ jsonrpc: "2.0", id, method }) === true;
  }

  return { ask, withdraw, answer, refuse, askRoots, handOver };
}

function strayRefusal(method: string): JsonRpcErrorObject {
  return { code: refusalCode(method), message: `${method} is answered only in the middle of a call` };
}

function ambiguous(method: string): JsonRpcErrorObject {
  const message = `${method} is refused: calls of several callers are in progress, and nothing says which of them asks`;
  return { code: refusalCode(method), message };
}

function refusalCode(method: string): number {
  return method === "roots/list" ? errorCode.methodNotFound : errorCode.invalidParams;
}
