// Tells a caller that the state of its session is lost: by an error before its next call starts, or, where the operator chose to
// continue, in the `_meta` of that call's result.
import { errorCode, McpError, type ModernRequest, type Result } from "@lethe/protocol";
import type { LossCause } from "../upstreams/sessions/lost-sessions.ts";
import type { Session } from "../upstreams/sessions/session.ts";
import { mayKeepState } from "../upstreams/sessions/session-requests.ts";
import type { UpstreamSessions } from "../upstreams/sessions/upstream-sessions.ts";

/** In the `_meta` of a result: why the state of the caller's earlier session is lost. */
const sessionLossMetaKey = "lethe/session_lost";

const why: Readonly<Record<LossCause, string>> = {
  upstream_restarted: "the server ended or the connection to it broke",
  session_ended: "the server no longer knows the session",
  replica_lost: "the replica of the gateway that owned the session is gone",
  evicted: "the gateway closed the session to make room for another one",
  expired: "the session was idle for too long, or too old",
  reconfigured: "the configuration of the server changed",
  replaced: "the server needed another connection",
};

/** The loss that the caller of this request must be told about, if there is one. */
export function lossFor({ losses }: UpstreamSessions, session: Session, request: ModernRequest): LossCause | undefined {
  const cause = losses.of(session);
  return cause !== undefined && mayKeepState(request.method) ? cause : undefined;
}

/** Runs a call after a loss, where the operator chose to continue. Rejects with McpError "session_lost" where not. */
export async function tellLoss(
  { name, config }: UpstreamSessions,
  session: Session,
  cause: LossCause,
  run: () => Promise<Result>,
): Promise<Result> {
  session.loss = undefined;
  if (config.sessions?.onLoss !== "continue") throw sessionLost(name, cause);
  try {
    const result = await run();
    return { ...result, _meta: { [sessionLossMetaKey]: cause, ...result._meta } };
  } catch (error) {
    // No result has told the caller.
    session.loss ??= cause;
    throw error;
  }
}

function sessionLost(upstream: string, cause: LossCause): McpError {
  const message = `upstream "${upstream}" has lost the state of this session: ${why[cause]}; the call has not started, and the next call begins a new session`;
  return new McpError(errorCode.internalError, message, { data: { reason: "session_lost", upstream, cause } });
}
