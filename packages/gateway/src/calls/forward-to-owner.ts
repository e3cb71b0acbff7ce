// Forwards a request to the replica of the gateway that owns its session.
import {
  type Dispatch,
  type Exchange,
  isInputRequired,
  type McpError,
  type ModernRequest,
  type Result,
} from "@lethe/protocol";
import type { Directory } from "@lethe/server/stores";
import { isReplicaError, ReplicaError } from "@lethe/server/stores";
import type { ReplicaSpans } from "../tracing/replica-spans.ts";
import { toReplicaFailure } from "../upstreams/connection/upstream-error.ts";
import type { RemoteOwner } from "../upstreams/sessions/session-leases.ts";
import { joinCall, setTrace, traceOf } from "./call-trace.ts";
import type { ForwardedCall } from "./forwarded-call.ts";
import { recordingSteps, toForwardedTrace } from "./forwarded-steps.ts";

/** Ids of replicas are shown by their first characters. */
const shownIdLength = 8;

export type ForwardedToOwner =
  | { readonly result: Result }
  /** The request has not been started. `isGone`: the replica is not there any more. */
  | { readonly unreached: McpError; readonly isGone: boolean };

/** Rejects with McpError for an error of the replica, and when the request may have been started. */
export type ForwardToOwner = (
  call: ForwardedCall,
  owner: Pick<RemoteOwner, "replica" | "key">,
) => Promise<ForwardedToOwner>;

/** `path` is the path of the endpoint that the callers use. Without `spans`, none are recorded. */
export function createForwardToOwner(directory: Directory, path: string, spans?: ReplicaSpans): ForwardToOwner {
  return async ({ target, request, exchange }, { replica, key }) => {
    const { name } = target.sessions;
    try {
      const reached = await directory.reach(replica, path, key);
      const peer = reached && spans ? inSpan(reached, spans, replica) : reached;
      const same = { ...request };
      // The owner handles it like any other request, so it must choose the same era.
      if (target.sessions.isLegacyEra) same.prefersSession = true;
      if (peer) return { result: await forward(peer, same, { exchange, replica }) };
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

function inSpan(peer: Dispatch, spans: ReplicaSpans, replica: string): Dispatch {
  return (request, exchange) =>
    spans.forward(request, replica.slice(0, shownIdLength), (traced) => peer(traced, exchange));
}

/** `request` is a copy of the caller's request. */
async function forward(
  peer: Dispatch,
  request: ModernRequest,
  { exchange, replica }: { exchange: Exchange; replica: string },
): Promise<Result> {
  const own = { method: request.method, trace: traceOf(request) };
  const steps = own.trace?.steps;
  const trace = toForwardedTrace(request);
  const owner = `replica:${replica.slice(0, shownIdLength)}`;
  const label = request.isHandedOn ? "it has more room for a session" : "it owns the session";
  setTrace(request, trace as object | undefined);
  steps?.add({ from: steps.self, to: owner, kind: "forward", label, method: request.method });
  try {
    const result = await peer(request, steps ? recordingSteps(exchange, steps) : exchange);
    if (isInputRequired(result)) joinCall(own, trace?.call);
    steps?.add({ from: owner, to: steps.self, kind: "response", label: result.resultType });
    return result;
  } catch (error) {
    steps?.add({ from: owner, to: steps.self, kind: "error", label: (error as Error).message });
    throw error;
  }
}
