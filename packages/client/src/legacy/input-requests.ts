// Forwards the input requests of a legacy server (elicitation/create, sampling/createMessage, roots/list) to the caller of the
// call that each certainly belongs to. A request that may belong to calls of several users is refused.
import {
  errorCode,
  type InputRequest,
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
import { SparseMap } from "../call/sparse-collections.ts";
import { TransportError } from "../call/transport-error.ts";
import { uncertainKey } from "../call/uncertain.ts";
import type { Attribution } from "./attribution.ts";
import { type Call, endRound, noInputRequests, type OpenInputRequest } from "./call.ts";
import type { CallerRoots } from "./caller-roots.ts";
import type { ElicitingTools } from "./eliciting-tools.ts";
import { readInputRequest, rejection } from "./read-input-request.ts";
import type { Turns } from "./turns.ts";

/** How many input requests of one call may be open. */
const maxInputRequests = 100;

export interface InputRequestContext {
  readonly requester: Requester;
  readonly revision: Revision;
  readonly attribution: Attribution;
  readonly turns: Turns;
  readonly tools: ElicitingTools;
  /** False for a server that keeps no session in which an answer could reach it. */
  canAnswer(): boolean;
  /** Cancels a call at the server, and fails it for its caller. */
  fail(call: Call, error: TransportError): void;
  /** Adds a call to the registry of pending calls. Returns its id, or undefined when a limit is reached. */
  addPending(call: Call, inputRequests: InputRequests): string | undefined;
  /** True: a call that cannot become pending fails. False: its input requests are rejected, and the call continues. */
  readonly failsWhenFull: boolean;
  readonly peer: string;
  readonly roots: readonly Root[] | undefined;
  /** Undefined for a connection of several callers. */
  readonly callerRoots: CallerRoots | undefined;
  /** `_meta` of an `input_required` result. */
  readonly meta: JsonObject | undefined;
}

/** How long the caller of a call that failed because of a limit should wait, in milliseconds. */
const retryAfterMs = 5_000;

export class InputRequestForwarder {
  readonly #context: InputRequestContext;
  readonly #open: SparseMap<RequestId, { readonly call: Call; readonly key: string }> = new SparseMap();

  constructor(context: InputRequestContext) {
    this.#context = context;
  }

  /** Takes a request of the server. Always answers it, now or when the caller has answered. */
  receiveInputRequest(message: JsonRpcRequest, origin?: RequestId): void {
    const { requester, roots, canAnswer } = this.#context;
    const { id, method } = message;
    // The answer names this id: with two requests of the same id, the server may take it for either.
    if (this.#open.has(id)) return;
    if (!canAnswer()) this.#refuseWithoutSession(message, origin);
    else if (method === "roots/list" && roots) requester.respond(id, { roots });
    else {
      const refused = this.#forward(message, origin);
      if (refused) requester.refuse(id, refused);
    }
  }

  /** The server has cancelled its request. */
  withdraw(id: RequestId): void {
    const found = this.#open.get(id);
    if (!found) {
      this.#context.callerRoots?.withdraw(id);
      return;
    }
    this.#open.delete(id);
    const { call, key } = found;
    const others = new Map(call.inputRequests);
    others.delete(key);
    call.inputRequests = others;
  }

  /** Sends the caller's answers to the server. The next round asks again for what has no answer. */
  answer(call: Call, answers: JsonObject): void {
    const { requester, callerRoots } = this.#context;
    for (const [key, answer] of Object.entries(answers)) {
      const request = call.inputRequests.get(key);
      if (!request) continue;
      const result = answer as JsonObject;
      this.withdraw(request.id);
      requester.respond(request.id, result);
      if (request.input.method === "roots/list") callerRoots?.learn(result);
    }
    if (call.inputRequests.size > 0) this.#endRoundSoon(call);
  }

  /** Rejects the open input requests of the call. */
  reject(call: Call, reason: string): void {
    for (const { id } of call.inputRequests.values()) this.#context.requester.refuse(id, rejection(reason));
    this.#forget(call);
  }

  /** Asks the caller of this call for the roots that the server wanted outside of any call. */
  askRoots(call: Call): void {
    const { callerRoots, requester, revision } = this.#context;
    for (const message of callerRoots?.take() ?? []) {
      const { id } = message;
      const { input, refused } = readInputRequest(message, revision, call.capabilities);
      if (input) this.#give(call, { id, input, isUncertain: false });
      else if (refused) requester.refuse(id, refused);
    }
  }

  /** The call has ended and is not running any more. Its open requests may belong to other calls of its conversation. */
  handOver(call: Call): void {
    const { attribution, requester } = this.#context;
    const open = [...call.inputRequests.values()];
    this.#forget(call);
    for (const request of open) {
      const canBeAsked = ({ capabilities }: Call) => !missingCapabilitiesFor(request.input, capabilities);
      const next = request.isUncertain ? attribution.nextOf(call, canBeAsked) : undefined;
      if (next && canBeAsked(next)) this.#give(next, request);
      else if (!this.#waitsForNextCall(request)) requester.refuse(request.id, strayRefusal(request.input.method));
    }
  }

  /** Without a session the answer could not reach the server, and its call would wait in vain. */
  #refuseWithoutSession({ id, method }: JsonRpcRequest, origin: RequestId | undefined): void {
    const { attribution, fail, requester, peer } = this.#context;
    const { call } = attribution.ownerOf(origin, () => true);
    const what = `${peer} asks (${method}) in the middle of a call, but has no session that could take the answer`;
    if (call) fail(call, new TransportError("no_session", what));
    else requester.refuse(id, strayRefusal(method));
  }

  /** Returns the error for a request that no caller can handle. */
  #forward(message: JsonRpcRequest, origin?: RequestId): JsonRpcErrorObject | undefined {
    const { attribution, callerRoots, revision, tools, turns } = this.#context;
    const { id, method } = message;
    const canBeAsked = ({ capabilities }: Call): boolean =>
      readInputRequest(message, revision, capabilities).input !== undefined;
    const owner = attribution.ownerOf(origin, canBeAsked);
    if (!owner.call && method === "roots/list" && callerRoots?.ask(message)) return undefined;
    if (!owner.call) return owner.why === "several" ? ambiguous(method) : strayRefusal(method);
    const { call, isUncertain } = owner;
    tools.learn(call.request, true);
    turns.asked(call);
    if (call.inputRequests.size >= maxInputRequests) return rejection("too many open input requests");
    const { input, refused } = readInputRequest(message, revision, call.capabilities, call.request.prefersSession);
    if (input) this.#give(call, { id, input, isUncertain });
    return refused;
  }

  #give(call: Call, request: OpenInputRequest): void {
    call.inputRequestCount += 1;
    const key = `q${call.inputRequestCount}`;
    call.inputRequests = new Map(call.inputRequests).set(key, request);
    this.#open.set(request.id, { call, key });
    this.#endRoundSoon(call);
  }

  /** Not at once, so that requests which the server sends side by side reach the caller in one round. */
  #endRoundSoon(call: Call): void {
    if (call.isRoundEnding || !call.round) return;
    call.isRoundEnding = true;
    setTimeout(() => {
      call.isRoundEnding = false;
      if (call.round && call.inputRequests.size > 0) this.#askCaller(call);
    }, 0);
  }

  #askCaller(call: Call): void {
    const { addPending, meta, turns } = this.#context;
    const inputRequests: { [key: string]: InputRequest } = {};
    let isUncertain = false;
    for (const [key, request] of call.inputRequests) {
      inputRequests[key] = request.input;
      isUncertain ||= request.isUncertain;
    }
    const requestState = addPending(call, inputRequests);
    if (requestState === undefined) {
      this.#rejectForLimit(call);
      return;
    }
    const result: Result = { resultType: "input_required", inputRequests, requestState };
    if (meta || isUncertain) result._meta = { ...meta, ...(isUncertain && { [uncertainKey]: true }) };
    endRound(call, result);
    turns.pause(call);
  }

  #rejectForLimit(call: Call): void {
    const { failsWhenFull, fail, peer } = this.#context;
    const why = "too many calls wait for an answer";
    if (failsWhenFull) fail(call, new TransportError("too_many_pending", `${peer} asks, but ${why}`, { retryAfterMs }));
    else this.reject(call, why);
  }

  #forget(call: Call): void {
    for (const { id } of call.inputRequests.values()) this.#open.delete(id);
    call.inputRequests = noInputRequests;
  }

  /** The call ended before its caller received the roots request: the next call gets it. */
  #waitsForNextCall({ id, input: { method } }: OpenInputRequest): boolean {
    return method === "roots/list" && this.#context.callerRoots?.ask({ jsonrpc: "2.0", id, method }) === true;
  }
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
