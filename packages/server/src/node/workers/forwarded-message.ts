// The messages by which workers forward requests to each other. The worker that received a request forwards it as a call to the owner of
// its session. `call` is a number that the forwarding worker never uses twice.
import type { Result } from "@lethe/protocol";
import type { CarriedError } from "../../replicas/carried-error.ts";
import type { ReplicaFailure } from "../../replicas/replica-error.ts";
import type { CallMessage, Note } from "../forwarding/message.ts";

export type ForwardedMessage =
  | CallMessage
  /** The caller cancelled or disconnected. */
  | { readonly kind: "abort"; readonly call: number }
  /** The caller has read this many bytes of notifications. */
  | { readonly kind: "taken"; readonly call: number; readonly bytes: number }
  | Note
  | { readonly kind: "result"; readonly call: number; readonly result: Result }
  | { readonly kind: "error"; readonly call: number; readonly failure: CarriedError }
  | { readonly kind: "refused"; readonly call: number; readonly reason: ReplicaFailure; readonly what: string };

/** The channel of these messages. */
export const forwardedChannel = "calls";
