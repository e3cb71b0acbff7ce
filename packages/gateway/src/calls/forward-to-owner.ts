// Passes a request on to the replica of the gateway that keeps its session.
import type { McpError, Result } from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { isReplicaError } from "@lethe/server/stores";
import { toReplicaFailure, upstreamError } from "../upstreams/connection/upstream-error.ts";
import type { ForwardedCall } from "./forwarded-call.ts";

export type ForwardedToOwner =
  | { readonly result: Result }
  /** It has not begun. */
  | { readonly unreached: McpError; readonly isGone: boolean };

/** Rejects with McpError for what the replica says, and where the request may have begun. */
export type ForwardToOwner = (call: ForwardedCall, replica: string) => Promise<ForwardedToOwner>;

/** `path` is that of the endpoint that the callers use. */
export function createForwardToOwner(directory: Directory, path: string): ForwardToOwner {
  return async ({ target, request, exchange }, replica) => {
    const { name } = target.sessions;
    try {
      const peer = await directory.reach(replica, path);
      // Over there it is a request like any other, which has to choose the same era.
      const same = target.sessions.isLegacyEra ? { ...request, prefersSession: true } : request;
      if (peer) return { result: await peer(same, exchange) };
    } catch (error) {
      if (!isReplicaError(error)) throw error;
      const failure = toReplicaFailure(name, error);
      if (error.reason === "unavailable") return { unreached: failure, isGone: false };
      throw failure;
    }
    const what = "keeps this session in a replica of the gateway that cannot be reached";
    return { unreached: upstreamError(name, "unavailable", what, { retryAfterMs: 1_000 }), isGone: true };
  };
}
