// Forwards a request to the replica of the gateway that owns its session.
import type { McpError, Result } from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { isReplicaError, ReplicaError } from "@lethe/server/stores";
import { toReplicaFailure } from "../upstreams/connection/upstream-error.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

export type ForwardedToOwner =
  | { readonly result: Result }
  /** The request has not been started. `isGone`: the replica is not there any more. */
  | { readonly unreached: McpError; readonly isGone: boolean };

/** Rejects with McpError for an error of the replica, and when the request may have been started. */
export type ForwardToOwner = (call: ForwardedCall, replica: string) => Promise<ForwardedToOwner>;

/** `path` is the path of the endpoint that the callers use. */
export function createForwardToOwner(directory: Directory, path: string): ForwardToOwner {
  return async ({ target, request, exchange }, replica) => {
    const { name } = target.sessions;
    try {
      const peer = await directory.reach(replica, path);
      // The owner handles it like any other request, so it must choose the same era.
      const same = target.sessions.isLegacyEra ? { ...request, prefersSession: true } : request;
      if (peer) return { result: await peer(same, exchange) };
    } catch (error) {
      if (!isReplicaError(error)) throw error;
      const failure = toReplicaFailure(name, error);
      if (error.reason === "unavailable" || error.reason === "busy") return { unreached: failure, isGone: false };
      throw failure;
    }
    const what = "keeps this session in a replica of the gateway that cannot be reached";
    return {
      unreached: toReplicaFailure(name, new ReplicaError("unavailable", what, { retryAfterMs: 1_000 })),
      isGone: true,
    };
  };
}
