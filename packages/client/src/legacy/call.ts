// One call at a legacy server, over as many rounds as its questions need: the server sees one request, the caller several.
import {
  type ClientCapabilities,
  clientCapabilitiesOf,
  type Exchange,
  type InputRequest,
  type JsonObject,
  type ModernRequest,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import type { Round } from "../call/round.ts";
import type { Turn } from "./eliciting-tools.ts";

export interface Call {
  /** The id of the server's request, and its progress token there. */
  readonly id: number;
  /** As it first came. */
  readonly request: ModernRequest;
  /** Wishes that the call be a task (D-38): `task` of its params on the wire, which no caller can set. */
  readonly task: JsonObject | undefined;
  readonly callerId: string | undefined;
  /** Calls of one conversation belong to one user. */
  readonly conversation: string | undefined;
  turn: Turn;
  hasTurn: boolean;
  /** The server works on it, or did before it was cancelled. */
  isSent: boolean;
  /** Its caller is being asked, and the server waits for that. */
  isPaused: boolean;
  /** What the caller can be asked; of the latest round. */
  capabilities: ClientCapabilities;
  /** The caller that waits; undefined while the call is parked. */
  round: Round | undefined;
  /** What the server answered while nobody waited. */
  outcome: Result | Error | undefined;
  /** What the server has asked and got no answer to, by the key under which the caller is asked; replaced by each change. */
  questions: ReadonlyMap<string, ServerInputRequest>;
  /** How many questions there were; makes the keys. */
  asked: number;
  isRoundEnding: boolean;
}

/** Nearly no call is asked anything: one for all. */
export const noQuestions: ReadonlyMap<string, ServerInputRequest> = new Map();

export interface ServerInputRequest {
  /** The id of the server's request. */
  readonly id: RequestId;
  readonly input: InputRequest;
  /** It is of this conversation, and may be of another call in it. */
  readonly isUncertain: boolean;
}

export interface CallParts {
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  readonly task: JsonObject | undefined;
  readonly turn: Turn;
}

export function createCall(id: number, { request, exchange, task, turn }: CallParts): Call {
  return {
    id,
    request,
    task,
    callerId: exchange.caller?.id,
    conversation: exchange.conversation,
    turn,
    hasTurn: false,
    isSent: false,
    isPaused: false,
    capabilities: clientCapabilitiesOf(request),
    round: undefined,
    outcome: undefined,
    questions: noQuestions,
    asked: 0,
    isRoundEnding: false,
  };
}

/** Ends the caller's wait, if anybody waits. */
export function endRound(call: Call, outcome: Result | Error): void {
  const { round } = call;
  call.round = undefined;
  round?.end(outcome);
}

/** Whether two calls may belong to different users. */
export function isForeign(one: Pick<Call, "conversation">, other: Pick<Call, "conversation">): boolean {
  return one !== other && (one.conversation === undefined || one.conversation !== other.conversation);
}
