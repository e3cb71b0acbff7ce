// What an edge needs from a server or gateway: its Dispatch, its authenticator and its legacy edge.
import {
  type Caller,
  type Dispatch,
  type HeaderReader,
  type Implementation,
  isJsonObject,
  modernRevisions,
  nameOf,
} from "@lethe/protocol";
import type { Authenticator } from "../auth/authenticator.ts";
import type { CallbackOutcome } from "../tasks/callback-outcome.ts";
import type { HttpAnswer } from "./answers.ts";

/** A server that the HTTP and stdio edges can serve. */
export interface Servable {
  readonly dispatch: Dispatch;
  readonly info?: Implementation;
  /** Authenticates HTTP requests. Has no effect on stdio. Default: all callers are anonymous. */
  readonly authenticator?: Authenticator | undefined;
  /** Serves legacy clients. Default: they are rejected. */
  readonly legacy?: LegacyEdge | undefined;
  /** True if the Dispatch passes notifications of extensions on: requests with `isNotification`. Default: they are dropped. */
  readonly takesNotifications?: boolean;
  /**
   * The revisions later than ours whose messages the Dispatch takes as they are, newest first. It decides which of them it serves.
   * Default: none.
   */
  laterRevisions?(): readonly string[];
  /** Completes callbacks. Default: there are none. */
  readonly callbacks?: CallbackEdge | undefined;
  /** Returns headers to add to the answers of an HTTP request, once its caller is known. Default: none. */
  answerHeaders?(headers: HeaderReader, caller: Caller | undefined): Readonly<Record<string, string>> | undefined;
  /** Ends open subscriptions. An edge calls it when it shuts down. */
  close?(): void | Promise<void>;
}

/** The revisions without a handshake whose requests a server accepts, newest first. */
export function acceptedRevisions({ laterRevisions }: Pick<Servable, "laterRevisions">): readonly string[] {
  const later = laterRevisions?.() ?? [];
  return later.length > 0 ? [...later, ...modernRevisions] : modernRevisions;
}

/** Completes the callbacks of one server. */
export interface CallbackEdge {
  /** The path before the token, with a slash at its end. */
  readonly path: string;
  /** Rejects with a retryable McpError while the store is unavailable. */
  complete(token: string, body: unknown): Promise<CallbackOutcome | "unknown">;
}

/** Serves the requests of older revisions, which the modern edge hands over. */
export interface LegacyEdge {
  /** Additional paths: beside the path of a single server, below each path if several servers are served. */
  readonly paths: readonly string[];
  /** True if the parsed body of a POST, which may be an array, belongs to a legacy client. */
  claims(message: unknown, head: RequestHead): boolean;
  /** Answers a POST for which `claims` is true, and every GET and DELETE. */
  receiveCall(call: LegacyHttpCall): void;
  /** Creates the connection of the one client on stdio. */
  connect(wire: LegacyWire): LegacyConnection;
  /** Ends open streams. */
  close(): void;
}

export interface RequestHead {
  readonly headers: HeaderReader;
  /** Path and query. */
  readonly url: string;
}

/** One HTTP request of a legacy client. Messages to a client that has left are dropped. */
export interface LegacyHttpCall extends RequestHead {
  readonly verb: string;
  readonly caller: Caller | undefined;
  /** As in Exchange. */
  readonly isAnonymous: boolean;
  readonly servable: Servable | undefined;
  /** The parsed body of a POST. */
  readonly message: unknown;
  /** The client reads so slowly that notifications should be dropped. */
  readonly isSlow: boolean;
  /** Calls back when the client leaves before the answer. */
  onAbort(callback: () => void): void;
  answer(answer: HttpAnswer): void;
  /** Counts the slot and the memory of the request until the returned function is called, also after its answer or its client's departure. */
  retain(): () => void;
  /**
   * Starts an event stream. A lasting stream takes a slot of the stream limit. Returns false if the client has left, or after
   * answering 429 or 503 because no slot is free.
   */
  beginStream(isLasting?: boolean): boolean;
  /** Writes complete events to the open stream. Returns false when the client reads more slowly than the server writes. */
  send(text: string): boolean;
  drained(): Promise<void>;
  endStream(): void;
  /** As in Exchange. */
  answeredBy?(worker: number): void;
}

export interface LegacyWire {
  /** Writes one message. Returns false when the client reads more slowly than the server writes. */
  send(text: string): boolean;
  /** The client reads so slowly that notifications should be dropped. */
  readonly isSlow: boolean;
  drained(): Promise<void>;
}

export interface LegacyConnection {
  /** Handles a parsed message, which may be an array. Returns false for a message of the modern era. */
  receiveMessage(message: unknown): boolean;
  /** The input has ended. Resolves when all running calls have finished. */
  close(): Promise<void>;
  /** Cancels all running calls. Nothing more is sent. */
  cutOff(): void;
}

/** Returns the server of a path, or undefined for a path that answers 404. */
export type ServableLookup = (path: string) => Servable | undefined;

/** One server, several by path (`{ "/mcp": a, "/mcp/b": b }`), or a function from path to server. */
export type ServableTarget = Servable | Readonly<Record<string, Servable>> | ServableLookup;

/** `path` restricts a single server to one path. Without it, every path leads to the server. */
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

/** A configured path takes precedence over a derived one. */
function toLookupByPath(derived: [string, Servable][], given: Readonly<Record<string, Servable>>): ServableLookup {
  const byPath = new Map([...derived, ...Object.entries(given)]);
  return (path) => byPath.get(path);
}

export function isServable(target: ServableTarget): target is Servable {
  return typeof (target as Servable).dispatch === "function";
}

/** Throws an Error unless the value is a server, a function, or an object of servers by path. */
export function requireServable(place: string, target: unknown): asserts target is ServableTarget {
  if (typeof target === "function" || isServer(target)) return;
  const servers = isJsonObject(target) ? Object.entries(target) : [];
  if (servers.length > 0 && servers.every(([path, server]) => path.startsWith("/") && isServer(server))) return;
  throw noServer(place, "the result of createServer, or an object of servers by path", target);
}

/** Throws an Error unless the value is one server. */
export function requireOneServable(place: string, target: unknown): asserts target is Servable {
  if (!isServer(target)) throw noServer(place, "the result of createServer", target);
}

function isServer(target: unknown): boolean {
  return isJsonObject(target) && typeof target.dispatch === "function";
}

function noServer(place: string, expected: string, target: unknown): Error {
  const got = target instanceof Promise ? "a promise: await it first" : nameOf(target);
  return new Error(`${place}: a server expected, such as ${expected}, got ${got}`);
}
