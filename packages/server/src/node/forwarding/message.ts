// The messages between replicas. The replica that received a request forwards it as a call to the owner of the session. `call` is
// a number that the forwarding replica never uses twice.
import type {
  Caller,
  JsonObject,
  JsonRpcErrorObject,
  JsonRpcNotification,
  ModernRequest,
  Result,
} from "@lethe/protocol";
import type { ReplicaFailure } from "../../replicas/replica-error.ts";

export interface CallMessage {
  readonly kind: "call";
  readonly call: number;
  readonly path: string;
  readonly request: ModernRequest;
  readonly caller?: Caller;
  readonly isAnonymous?: boolean;
  readonly conversation?: string;
  /** How many replicas or workers forwarded the call; a limit prevents loops. */
  readonly hops: number;
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
} & (
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "error"; readonly error: JsonRpcErrorObject; readonly refusal?: 429 | 503 }
);

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

const ownerKinds: ReadonlySet<unknown> = new Set<ToOwner["kind"]>(["call", "abort", "taken", "ask"]);
const callerKinds: ReadonlySet<unknown> = new Set<FromOwner["kind"]>(["note", "result", "error", "failure", "answer"]);

/** The encryption proves that a replica sent it. A replica of another version may send a kind that is unknown here. */
export function isToOwner(value: JsonObject): value is JsonObject & ToOwner {
  return ownerKinds.has(value.kind);
}

export function isFromOwner(value: JsonObject): value is JsonObject & FromOwner {
  return callerKinds.has(value.kind);
}
