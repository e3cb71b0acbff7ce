// What a legacy server asks, and whom (D-23, D-51). HTTP shows to which call a question belongs. On stdio it can only be
// guessed, among the calls whose caller can be asked it: the newest whose caller waits and was not asked yet, else the
// newest that waits, else the newest parked one. When calls of several callers run it belongs to none: nobody is asked a
// question of somebody else's call.
import {
  errorCode,
  type InputRequests,
  isInputMethod,
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcRequest,
  type OpenMap,
  type RequestId,
  type Result,
  type Root,
} from "@lethe/protocol";
import { missingForQuestion } from "@lethe/protocol/legacy";
import type { Requester } from "../call/requester.ts";
import { type Call, endRound, noQuestions, type Question } from "./call.ts";
import type { Parking } from "./parking.ts";
import { readQuestion, rejection } from "./question-input.ts";

/** One call may have so many questions open. */
const maxQuestions = 100;

export interface QuestionContext {
  readonly requester: Requester;
  readonly running: Pick<OpenMap<Call>, "get" | "values">;
  readonly parking: Parking<Call>;
  readonly roots: readonly Root[] | undefined;
  /** `_meta` of an `input_required` result. */
  readonly meta: JsonObject | undefined;
}

export interface Questions {
  /** Takes a request of the server. Always answers it, now or when the caller has. */
  ask(message: JsonRpcRequest, origin?: RequestId): void;
  /** The server does not want to know any more. */
  withdraw(id: RequestId): void;
  /** Sends the answers; what is still open, or was not answered, is asked in the next round. */
  answer(call: Call, answers: ReadonlyMap<string, JsonObject>): void;
  refuse(call: Call, reason: string): void;
  /** The call has ended and left `running`. What was guessed to be its own and is still open is another call's, or nobody's. */
  handOver(call: Call): void;
}

export function createQuestions({ requester, running, parking, roots, meta }: QuestionContext): Questions {
  const open = new Map<RequestId, { call: Call; key: string }>();

  function ask(message: JsonRpcRequest, origin?: RequestId): void {
    if (message.method === "roots/list" && roots) {
      requester.respond(message.id, { roots });
    } else {
      const refused = take(message, origin);
      if (refused) requester.refuse(message.id, refused);
    }
  }

  function take(message: JsonRpcRequest, origin?: RequestId): JsonRpcErrorObject | undefined {
    const { id, method } = message;
    const canBeAsked = ({ capabilities }: Call): boolean => readQuestion(message, capabilities).input !== undefined;
    const call = origin === undefined ? likeliestCall(running, canBeAsked) : running.get(origin);
    if (!call || !isInputMethod(call.request.method)) return strayRefusal(method);
    if (call.questions.size >= maxQuestions) return rejection("too many open questions");
    const { input, refused } = readQuestion(message, call.capabilities);
    if (input) give(call, { id, input, isGuess: origin === undefined });
    return refused;
  }

  function give(call: Call, question: Question): void {
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
    if (meta) result._meta = meta;
    endRound(call, result);
  }

  function withdraw(id: RequestId): void {
    const found = open.get(id);
    if (!found) return;
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
      const canBeAsked = ({ capabilities }: Call) => !missingForQuestion(question.input, capabilities);
      const next = question.isGuess ? likeliestCall(running, canBeAsked) : undefined;
      if (next && !missingForQuestion(question.input, next.capabilities)) give(next, question);
      else requester.refuse(question.id, strayRefusal(question.input.method));
    }
  }

  return { ask, withdraw, answer, refuse, handOver };
}

function likeliestCall(
  running: Pick<OpenMap<Call>, "get" | "values">,
  canBeAsked: (call: Call) => boolean,
): Call | undefined {
  let likeliest: Call | undefined;
  let highest = 0;
  for (const call of running.values) {
    if (!isInputMethod(call.request.method)) continue;
    if (likeliest && likeliest.callerId !== call.callerId) return undefined;
    const likelihood = canBeAsked(call) ? likelihoodOf(call) : 0;
    if (likeliest && likelihood < highest) continue;
    likeliest = call;
    highest = likelihood;
  }
  return likeliest;
}

function likelihoodOf({ round, questions }: Call): number {
  if (!round) return 1;
  return questions.size > 0 ? 2 : 3;
}

function strayRefusal(method: string): JsonRpcErrorObject {
  const code = method === "roots/list" ? errorCode.methodNotFound : errorCode.invalidParams;
  return { code, message: `${method} is answered only in the middle of a call` };
}
