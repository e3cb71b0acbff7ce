// What an HTTP or stdio edge needs of a server: its Dispatch, and who may call it. A gateway is one as well.
import type { Caller, Dispatch, HeaderReader, Implementation } from "@lethe/protocol";
import type { Authenticator } from "../auth/authenticator.ts";
import type { HttpAnswer } from "./answers.ts";

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
  /** Served beside the path of the server itself, and below it when several servers are served by path (D-32). */
  readonly paths: readonly string[];
  /** D.4 steps 2 to 4 and 6: whether the parsed body of a POST, which may be an array, is legacy. */
  claims(message: unknown, head: RequestHead): boolean;
  /** Answers a claimed POST, and every GET and DELETE. */
  receive(call: LegacyHttpCall): void;
  /** For stdio: one process, one client, one state (C-17). */
  connect(wire: LegacyWire): LegacyConnection;
  /** Ends open streams. */
  close(): void;
}

export interface RequestHead {
  readonly headers: HeaderReader;
  /** Path and query. */
  readonly url: string;
}

/** One HTTP request of an older client, and the way to answer it. What is sent to a client that has gone is dropped. */
export interface LegacyHttpCall extends RequestHead {
  readonly verb: string;
  readonly caller: Caller | undefined;
  /** As in Exchange. */
  readonly isAnonymous: boolean;
  readonly servable: Servable | undefined;
  /** The parsed body of a POST. */
  readonly message: unknown;
  /** The client reads so slowly that what can be dropped should be. */
  readonly isSlow: boolean;
  /** Called when the client goes away before it has been answered. */
  onAbort(callback: () => void): void;
  answer(answer: HttpAnswer): void;
  /** A lasting stream takes its place among the streams; false when it found none, and was answered so. */
  beginStream(isLasting?: boolean): boolean;
  /** Text of an open stream: whole events. False when the client reads more slowly than we write. */
  send(text: string): boolean;
  drained(): Promise<void>;
  endStream(): void;
}

export interface LegacyWire {
  /** One message. False when the client reads more slowly than we write. */
  send(text: string): boolean;
  /** As in LegacyHttpCall. */
  readonly isSlow: boolean;
  drained(): Promise<void>;
}

export interface LegacyConnection {
  /** Takes a parsed message, which may be an array, or leaves it to the modern edge by returning false. */
  receive(message: unknown): boolean;
  /** No more input: resolves when what runs is done. */
  close(): Promise<void>;
  /** Aborts what runs; nothing more is sent. */
  cutOff(): void;
}

export type ServableLookup = (path: string) => Servable | undefined;

/** One server, several by path (`{ "/mcp": a, "/mcp/b": b }`), or a function from path to server. */
export type ServableTarget = Servable | Readonly<Record<string, Servable>> | ServableLookup;

/** `path` restricts a single server to one path; without it, whoever routes requests to the handler has chosen. */
export function toLookup(target: ServableTarget, path: string | undefined): ServableLookup {
  if (typeof target === "function") return target;
  if (isServable(target))
    return path === undefined ? () => target : toLookupByPath(legacyPathsOf(target), { [path]: target });
  const below = Object.entries(target).flatMap(([base, servable]) => legacyPathsOf(servable, base));
  return toLookupByPath(below, target);
}

function legacyPathsOf(servable: Servable, base = ""): [string, Servable][] {
  return (servable.legacy?.paths ?? []).map((path) => [base + path, servable]);
}

/** A path that was given goes before one that follows from another. */
function toLookupByPath(derived: [string, Servable][], given: Readonly<Record<string, Servable>>): ServableLookup {
  const byPath = new Map([...derived, ...Object.entries(given)]);
  return (asked) => byPath.get(asked);
}

export function isServable(target: ServableTarget): target is Servable {
  return typeof (target as Servable).dispatch === "function";
}
