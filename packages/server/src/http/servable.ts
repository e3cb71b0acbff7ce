// What an HTTP or stdio edge needs of a server: its Dispatch, and who may call it. A gateway is one as well.
import type { Caller, Dispatch, HeaderReader, Implementation } from "@lethe/protocol";
import type { Authenticator } from "../auth/authenticator.ts";

export interface Servable {
  readonly dispatch: Dispatch;
  readonly info?: Implementation;
  /** HTTP only: stdio has no OAuth (C-15). */
  readonly authenticator?: Authenticator | undefined;
  /** Absent: only modern revisions are served. */
  readonly legacy?: LegacyEdge | undefined;
  /** Ends open subscriptions gracefully (E-16). Called when an edge shuts down. */
  close?(): void | Promise<void>;
}

/** Takes over from the modern edge what belongs to an older revision (D.4). */
export interface LegacyEdge {
  /** D.4 steps 2 to 4 and 6: whether the parsed body of a POST, which may be an array, is legacy. */
  claims(message: unknown, headers: HeaderReader): boolean;
  /** Answers a claimed POST, and every GET and DELETE. When the client goes away the body of the response is cancelled. */
  respond(call: LegacyCall): Promise<Response>;
  /** For stdio: one process, one client, one state (C-17). Absent: modern revisions only. */
  connect?(send: (text: string) => void): LegacyConnection;
}

export interface LegacyConnection {
  /** Takes a parsed message, which may be an array, or leaves it to the modern edge by returning false. */
  receive(message: unknown): boolean;
  close(): void;
}

export interface LegacyCall {
  readonly verb: string;
  /** Path and query. */
  readonly url: string;
  /** The parsed body of a POST. */
  readonly message: unknown;
  readonly headers: HeaderReader;
  readonly caller: Caller | undefined;
  /** Aborted when the client goes away before there is a response. */
  readonly signal: AbortSignal;
}

export type ServableLookup = (path: string) => Servable | undefined;

/** One server, several by path (`{ "/mcp": a, "/mcp/b": b }`), or a function from path to server. */
export type ServableTarget = Servable | Readonly<Record<string, Servable>> | ServableLookup;

/** `path` restricts a single server to one path; without it, whoever routes requests to the handler has chosen. */
export function toLookup(target: ServableTarget, path: string | undefined): ServableLookup {
  if (typeof target === "function") return target;
  if (isServable(target)) return path === undefined ? () => target : (asked) => (asked === path ? target : undefined);
  const byPath = new Map(Object.entries(target));
  return (asked) => byPath.get(asked);
}

export function isServable(target: ServableTarget): target is Servable {
  return typeof (target as Servable).dispatch === "function";
}
