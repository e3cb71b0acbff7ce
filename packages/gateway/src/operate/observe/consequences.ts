// What follows for callers and operators from what an upstream keeps for a connection, and what the gateway does about it.
import type { Affinity } from "../../config/upstream-config.ts";

export interface Statefulness {
  kind: "stdio" | "http";
  sharing: "shared" | "session" | "single";
  affinity: Affinity;
  /** Any instance of it answers: what it gives out is not needed to go on. */
  isStateless: boolean;
  /** Callers have names. */
  hasAuth: boolean;
  /** Others pass on to the replica that keeps a caller's session. Default: there are none, as far as this one knows. */
  hasReplicas?: boolean;
  /** Sessions at a time. */
  maxSessions: number;
  /** Its transport does not show which call asks, so that calls which may ask take turns. Default: it does. */
  takesTurns?: boolean;
}

const lost = "it ends with this gateway, and no other replica has it";
const alone =
  "it does not say which call asks its user, so a call that may ask runs alone there, and others wait up to sessions.turnWaitMs " +
  "(state the tools that ask in elicits); no caller's roots reach it outside of a call (set roots)";
const reached = "it ends with the replica that keeps it, and the others pass requests on to that one";

/** Empty for an upstream that keeps nothing, as far as anybody can tell. */
export function consequencesOf(upstream: Statefulness): string[] {
  const { kind, sharing, affinity, isStateless, hasAuth, maxSessions } = upstream;
  const unit = kind === "stdio" ? "process" : "session";
  const fate = upstream.hasReplicas ? reached : lost;
  const turns = upstream.takesTurns ? `; ${alone}` : "";
  if (sharing === "single") {
    return [
      `it has one session for everybody and takes one request at a time: callers wait for each other, and see what others did; ${lost}${turns}`,
    ];
  }
  if (sharing === "shared" || isStateless) return [];
  switch (affinity) {
    case "shared":
      return [`all callers share one ${unit}, as its affinity says: each sees what others did there; ${lost}${turns}`];
    case "call":
      return [
        `each call gets a ${unit} of its own and finds nothing of the calls before; at most ${maxSessions} at a time`,
      ];
    case "handle":
      return [
        `each conversation gets a ${unit} of its own by a session argument of its tools, at most ${maxSessions} at a time; ${fate}`,
      ];
    case "caller":
      return hasAuth
        ? [`each caller gets a ${unit} of its own, at most ${maxSessions} at a time; ${fate}`]
        : [
            `without gateway.auth callers have no names: all share one ${unit} and see what others did there; ${fate}${turns}`,
          ];
  }
}

/** In few words, for a table. */
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
