// The messages between replicas. The replica that received a request forwards it as a call to the owner of the session. `call` is
// a number that the forwarding replica never uses twice.
import {
  type Caller,
  type Exchange,
  isJsonObject,
  type JsonObject,
  type JsonRpcNotification,
  type ModernRequest,
  type Result,
} from "@lethe/protocol";
import type { CarriedError } from "../../replicas/carried-error.ts";
import type { ReplicaFailure } from "../../replicas/replica-error.ts";

export interface CallMessage {
  readonly kind: "call";
  readonly call: number;
  readonly path: string;
  readonly request: ModernRequest;
  readonly caller?: Caller | undefined;
  readonly isAnonymous?: boolean | undefined;
  readonly conversation?: string | undefined;
  /** How many replicas or workers forwarded the call; a limit prevents loops. */
  readonly hops: number;
}

export function toCallMessage(
  { call, path, hops }: Pick<CallMessage, "call" | "path" | "hops">,
  request: ModernRequest,
  { caller, isAnonymous, conversation }: Exchange,
): CallMessage {
  // JSON has no members that are undefined. Leaving them out here would take longer than the rest of this step.
  return { kind: "call", call, path, request, hops, caller, isAnonymous, conversation };
}

/** Sent by the forwarding replica. */
export type ToOwner =
  | CallMessage
  /** The caller cancelled or disconnected. */
  | { readonly kind: "abort"; readonly call: number }
  /** The caller has read this many bytes of notifications. */
  | { readonly kind: "taken"; readonly call: number; readonly bytes: number }
  /** Asks which of these calls still run. */
  | { readonly kind: "ask"; readonly calls: readonly number[] };

export interface Note {
  readonly kind: "note";
  readonly call: number;
  readonly notification: JsonRpcNotification;
  readonly bytes: number;
}

/** Answers `ask`. */
export interface Answer {
  readonly kind: "answer";
  /** These calls do not run. */
  readonly unknown: readonly number[];
  /** Those of them that never began, and never will: a message that was sent before `ask` is not handled after it. Older versions name none. */
  readonly unstarted?: readonly number[];
}

/** What a call ended with, where it ran. */
export type Outcome = {
  readonly call: number;
  /** The replica that answers is not the owner: it forwarded the call to another one. A replica of an older version never says so. */
  readonly isElsewhere?: true;
} & ({ readonly kind: "result"; readonly result: Result } | ({ readonly kind: "error" } & CarriedError));

/** Sent by the owner. */
export type FromOwner =
  | Note
  | Outcome
  | { readonly kind: "failure"; readonly call: number; readonly reason: ReplicaFailure; readonly what: string }
  | Answer;

/** Sent by a replica that has joined to those that have not listed it. */
export interface Joined {
  readonly kind: "joined";
}

export type Message = ToOwner | FromOwner | Joined;

/**
 * Whether it is for the owner of a session. The encryption proves that a replica sent it, but a replica of another version may send a kind, or
 * a form of one, that is unknown here. Such a message counts as one that did not arrive.
 */
export function isToOwner(value: JsonObject): value is JsonObject & ToOwner {
  switch (value.kind) {
    case "call":
      return isCall(value);
    case "abort":
      return isNumber(value.call);
    case "taken":
      return isNumber(value.call) && isNumber(value.bytes);
    case "ask":
      return isNumbers(value.calls);
    default:
      return false;
  }
}

/** The same for a message of an owner. */
export function isFromOwner(value: JsonObject): value is JsonObject & FromOwner {
  if (value.kind === "answer") return isNumbers(value.unknown) && isNumbers(value.unstarted ?? []);
  if (!isNumber(value.call)) return false;
  switch (value.kind) {
    case "note":
      return isJsonObject(value.notification) && isNumber(value.bytes);
    case "result":
      return isJsonObject(value.result);
    case "error":
      return isJsonObject(value.error) && isNumber(value.error.code) && isText(value.error.message);
    case "failure":
      return isText(value.reason) && isText(value.what);
    default:
      return false;
  }
}

function isCall({ call, path, request, caller, hops }: JsonObject): boolean {
  if (!isNumber(call) || !isText(path) || !isNumber(hops)) return false;
  if (caller !== undefined && !(isJsonObject(caller) && isText(caller.id))) return false;
  return isJsonObject(request) && isText(request.method) && isJsonObject(request.params);
}

const isNumber = (value: unknown): value is number => typeof value === "number";
const isText = (value: unknown): value is string => typeof value === "string";
const isNumbers = (value: unknown): value is number[] => Array.isArray(value) && value.every(isNumber);
