// One call at a legacy server. The server sees one request; the caller sees one round per set of input requests.
import {
  type ClientCapabilities,
  clientCapabilitiesOf,
  type Exchange,
  type InputRequest,
  type JsonObject,
  type ModernRequest,
  type OpenMap,
  type RequestId,
  type Result,
} from "@lethe/protocol";
import type { Round } from "../call/round.ts";
import type { Turn } from "./eliciting-tools.ts";

export interface Call {
  /** The id of the request at the server, and its progress token there. A repeated request gets a new one. */
  id: number;
  /** The request of the first round. */
  readonly request: ModernRequest;
  /** Asks the server to run the call as a task: the `task` member of its params, which no caller can set. */
  readonly task: JsonObject | undefined;
  readonly callerId: string | undefined;
  /** Calls of one conversation belong to one user. */
  readonly conversation: string | undefined;
  turn: Turn;
  hasTurn: boolean;
  /** The server works on the call, or did before it was cancelled. */
  isSent: boolean;
  /** The call is pending: its server waits for the caller's answers. */
  isPaused: boolean;
  /** The client capabilities of the latest round; they limit the input requests that the caller accepts. */
  capabilities: ClientCapabilities;
  /** The round that the caller waits for; undefined while the call is pending. */
  round: Round | undefined;
  /** The server's answer that arrived while the call was pending. */
  outcome: Result | Error | undefined;
  /** The server's input requests that have no answer, by the key that the caller sees. Each change replaces the map. */
  inputRequests: ReadonlyMap<string, OpenInputRequest>;
  /** How many input requests the server has sent; numbers their keys. */
  inputRequestCount: number;
  isRoundEnding: boolean;
}

/** Shared by all calls, because few receive input requests. */
export const noInputRequests: ReadonlyMap<string, OpenInputRequest> = new Map();

/** An elicitation, sampling or roots request of the server that has no answer. */
export interface OpenInputRequest {
  /** The id of the server's request. */
  readonly id: RequestId;
  readonly input: InputRequest;
  /** The request belongs to this conversation, but may belong to another call in it. */
  readonly isUncertain: boolean;
}

export interface CallParts {
  readonly request: ModernRequest;
  readonly exchange: Exchange;
  readonly task: JsonObject | undefined;
  readonly turn: Turn;
}

// J-24: in a session, each request id may be used once.
/** Gives a call that is sent again its next id. */
export function renewId(call: Call, running: OpenMap<Call>, id: number): void {
  running.take(call.id);
  call.id = id;
  running.add(id, call);
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
    inputRequests: noInputRequests,
    inputRequestCount: 0,
    isRoundEnding: false,
  };
}

/** Settles the round that the caller waits for, if there is one. */
export function endRound(call: Call, outcome: Result | Error): void {
  const { round } = call;
  call.round = undefined;
  round?.end(outcome);
}

/** Whether two calls may belong to different users. */
export function isForeign(one: Pick<Call, "conversation">, other: Pick<Call, "conversation">): boolean {
  return one !== other && (one.conversation === undefined || one.conversation !== other.conversation);
}
