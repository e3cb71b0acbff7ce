// What follows for callers and operators from what an upstream keeps for a connection.
import type { Affinity } from "../config/upstream-config.ts";

export interface Statefulness {
  kind: "stdio" | "http";
  sharing: "shared" | "session" | "single";
  affinity: Affinity;
  /** Callers have names. */
  hasAuth: boolean;
  /** Sessions at a time. */
  maxSessions: number;
}

const lost = "it ends with this gateway, and no other replica has it";

/** Empty for an upstream that keeps nothing, as far as anybody can tell. */
export function consequencesOf({ kind, sharing, affinity, hasAuth, maxSessions }: Statefulness): string[] {
  const unit = kind === "stdio" ? "process" : "session";
  if (sharing === "single") {
    return [
      `it has one session for everybody and takes one request at a time: callers wait for each other, and see what others did; ${lost}`,
    ];
  }
  if (sharing === "shared") return [];
  switch (affinity) {
    case "shared":
      return [`all callers share one ${unit}, as its affinity says: each sees what others did there; ${lost}`];
    case "call":
      return [
        `each call gets a ${unit} of its own and finds nothing of the calls before; at most ${maxSessions} at a time`,
      ];
    case "handle":
      return [
        `each conversation gets a ${unit} of its own by a session argument of its tools, at most ${maxSessions} at a time; ${lost}`,
      ];
    case "caller":
      return hasAuth
        ? [`each caller gets a ${unit} of its own, at most ${maxSessions} at a time; ${lost}`]
        : [`without gateway.auth callers have no names: all share one ${unit} and see what others did there; ${lost}`];
  }
}
