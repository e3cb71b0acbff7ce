// What replicas say to each other. Whoever keeps a session is its keeper; the call comes from the replica that its caller
// reached. `call` is a number of that replica's, which it gives no second time.

import type {
  Caller,
  JsonObject,
  JsonRpcErrorObject,
  JsonRpcNotification,
  ModernRequest,
  Result,
} from "@lethe/protocol";
import type { ReplicaFailure } from "@lethe/server/stores";

export interface CallMessage {
  readonly kind: "call";
  readonly call: number;
  readonly path: string;
  readonly request: ModernRequest;
  readonly caller?: Caller;
  readonly isAnonymous?: boolean;
  readonly conversation?: string;
  /** How many replicas it has come through: it goes in no circles. */
  readonly hops: number;
}

/** Of the replica that its caller reached. */
export type ToKeeper =
  | CallMessage
  /** The caller has gone. */
  | { readonly kind: "abort"; readonly call: number }
  /** So many bytes of notifications have been taken by the caller. */
  | { readonly kind: "taken"; readonly call: number; readonly bytes: number }
  /** Do these still run? */
  | { readonly kind: "ask"; readonly calls: readonly number[] };

export interface Note {
  readonly kind: "note";
  readonly call: number;
  readonly notification: JsonRpcNotification;
  readonly bytes: number;
}

/** Of the keeper. */
export type FromKeeper =
  | Note
  | { readonly kind: "result"; readonly call: number; readonly result: Result }
  | { readonly kind: "error"; readonly call: number; readonly error: JsonRpcErrorObject; readonly refusal?: 429 | 503 }
  | { readonly kind: "failure"; readonly call: number; readonly reason: ReplicaFailure; readonly what: string }
  /** Of those that were asked after, these do not run. */
  | { readonly kind: "answer"; readonly unknown: readonly number[] };

export type Message = ToKeeper | FromKeeper;

const toKeeper: ReadonlySet<unknown> = new Set<ToKeeper["kind"]>(["call", "abort", "taken", "ask"]);
const fromKeeper: ReadonlySet<unknown> = new Set<FromKeeper["kind"]>(["note", "result", "error", "failure", "answer"]);

/** What a replica has sealed is what it says; of another version it may be something that is not known here. */
export function isToKeeper(value: JsonObject): value is JsonObject & ToKeeper {
  return toKeeper.has(value.kind);
}

export function isFromKeeper(value: JsonObject): value is JsonObject & FromKeeper {
  return fromKeeper.has(value.kind);
}
