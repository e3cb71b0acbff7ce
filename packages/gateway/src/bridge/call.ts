// One request of a caller on its way through the gateway.
import type { Exchange, JsonObject, ModernRequest } from "@lethe/protocol";
import type { UpstreamSessions } from "../sessions/upstream-sessions.ts";

/** Where a request leads. */
export interface Target {
  readonly sessions: UpstreamSessions;
  /** In place of the params of the same names: what the upstream calls it. */
  readonly params?: JsonObject;
  /** The tool says that it may run twice, and the operator believes it. */
  readonly isRepeatable?: boolean;
  /** The tool has an argument for the handle of its session. */
  readonly hasSessionArgument?: boolean;
}

export interface RelayedCall {
  readonly target: Target;
  readonly request: ModernRequest;
  readonly exchange: Exchange;
}
