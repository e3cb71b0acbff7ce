// Explains what a verdict means for callers and operators, and how the gateway uses the upstream.
import type { Affinity } from "../../config/upstream-config.ts";

export interface Statefulness {
  kind: "stdio" | "http" | "memory" | "openapi";
  sharing: "shared" | "session" | "single";
  affinity: Affinity;
  /** Any instance of the upstream can serve any request. */
  isStateless: boolean;
  /** Whether callers authenticate. */
  hasAuth: boolean;
  /** Whether other replicas forward requests to the owner of a caller's session. Default: there are no other replicas. */
  hasReplicas?: boolean;
  /** The maximum number of sessions. */
  maxSessions: number;
  /** Whether calls that may send input requests take turns, because the transport does not attribute those. Default: false. */
  takesTurns?: boolean;
}

const lost = "it ends with this gateway; no other replica has it";
const alone =
  "it does not say which call sends an input request, so a call that may send one runs alone, and others wait up to sessions.turnWaitMs " +
  "(name the tools that send them in elicits); it gets the roots of callers only during a call (set roots)";
const reached = "it ends with the replica that owns it; other replicas forward requests to that one";

/** Returns no text for an upstream that keeps no state, as far as is known. */
export function consequencesOf(upstream: Statefulness): string[] {
  const { kind, sharing, affinity, isStateless, hasAuth, maxSessions } = upstream;
  const unit = kind === "stdio" ? "process" : "session";
  const fate = upstream.hasReplicas ? reached : lost;
  const turns = upstream.takesTurns ? `; ${alone}` : "";
  if (sharing === "single") {
    return [
      `it has one session for all callers and takes one request at a time: callers wait for each other and see what others do; ${lost}${turns}`,
    ];
  }
  if (sharing === "shared" || isStateless) return [];
  switch (affinity) {
    case "shared":
      return [`all callers share one ${unit}, as its affinity says: each sees what others do there; ${lost}${turns}`];
    case "call":
      return [`each call gets its own ${unit} without state of earlier calls; at most ${maxSessions} at a time`];
    case "handle":
      return [
        `each conversation gets its own ${unit} through a session argument of its tools, at most ${maxSessions} at a time; ${fate}`,
      ];
    case "caller":
      return hasAuth
        ? [`each caller gets its own ${unit}, at most ${maxSessions} at a time; ${fate}`]
        : [
            `without gateway.auth callers are anonymous: all share one ${unit} and see what others do there; ${fate}${turns}`,
          ];
  }
}

/** Returns a short form for a table. */
export function useOf({ kind, sharing, affinity, hasAuth }: Omit<Statefulness, "isStateless" | "maxSessions">): string {
  if (sharing === "single") return "one session, one request at a time";
  const unit = kind === "stdio" ? "process" : sharing === "shared" ? "connection" : "session";
  switch (affinity) {
    case "shared":
      return sharing === "shared" ? `one ${unit} for all` : `one ${unit} for all, as configured`;
    case "call":
      return `a ${unit} for each call`;
    case "handle":
      return `a ${unit} for each conversation`;
    case "caller":
      return hasAuth ? `a ${unit} for each caller` : `one ${unit} for all: no gateway.auth`;
  }
}
