// The core contract. A server is a Dispatch; a connection to a server is a Dispatch; the gateway is made of Dispatches.
// Every edge (HTTP, stdio, memory, legacy) parses bytes into a ModernRequest, calls a Dispatch and writes its result.
import type { HeaderReader } from "../http/mirrored-headers.ts";
import type { JsonRpcNotification } from "../jsonrpc/message.ts";
import type { ModernRequest } from "../meta/envelope.ts";
import type { Result } from "../meta/result.ts";

/** An authenticated principal. */
export interface Caller {
  /** Stable and unique for one principal. State, caches and sealed tokens are bound to it. */
  readonly id: string;
  readonly scopes?: readonly string[];
  /** Verified claims of the token, for decisions of the server's author. Never the token itself. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** When the token expires, in ms since 1970. Streams end at this time. */
  readonly expiresAt?: number;
}

export type { HeaderReader };

/** The context of a running request: cancellation, caller and notifications. */
export interface Exchange {
  /** Aborted when the caller disconnects or cancels. Created on first access (about 1 KB): prefer `onAbort`. */
  readonly signal: AbortSignal;
  /**
   * Runs `callback` once when the caller disconnects or cancels, at once if it already has. Creates no signal. An exchange
   * may lack this member: call the function `onAbort` instead.
   */
  onAbort?(callback: () => void): void;
  /** The authenticated caller; undefined without authorization. */
  readonly caller: Caller | undefined;
  /**
   * An unguessable id of the client: a session of an older revision, or the single user of a client. Requests with the same
   * id belong to one user. Absent: nothing is known about the relation to other requests.
   */
  readonly conversation?: string | undefined;
  /** True for HTTP requests without authentication. Such a caller has no scopes. */
  readonly isAnonymous?: boolean | undefined;
  /**
   * True if the edge keeps the `requestState` of this request itself. No client has it, so it needs no replay protection.
   */
  readonly keepsState?: boolean | undefined;
  /** True if another process of the gateway forwarded the request to this one, which it takes for the owner of the session. */
  readonly isForwarded?: boolean | undefined;
  // B-39
  /** HTTP only: the request headers, for checks of `Mcp-Param-*`. */
  readonly headers?: HeaderReader | undefined;
  /**
   * Sends a notification that belongs to this request, before its result. Returns false if the peer reads slower than the
   * edge writes: wait for `drained()` before sending more. Does nothing after the exchange has ended.
   */
  notify(notification: JsonRpcNotification): boolean;
  /** Resolves when the peer has read all notifications, or the exchange has ended. */
  drained(): Promise<void>;
  // D-35
  /**
   * Sessions of 2025-11-25 over HTTP only: closes the connection before the result. The client reconnects to fetch it, so a
   * long call holds no connection.
   */
  disconnect?(): void;
  /**
   * Several workers that share a port only: called before the result if the worker with this number answered the request, because it owns
   * the session. An edge may give it the connection.
   */
  answeredBy?(worker: number): void;
}

/** Runs `callback` once when the caller of `exchange` disconnects or cancels, at once if it already has. */
export function onAbort(exchange: Exchange, callback: () => void): void {
  if (exchange.onAbort) exchange.onAbort(callback);
  else if (exchange.signal.aborted) callback();
  else exchange.signal.addEventListener("abort", callback, { once: true });
}

/** Answers one request. Rejects with McpError for a protocol error. Any other rejection is an internal error. */
export type Dispatch = (request: ModernRequest, exchange: Exchange) => Promise<Result>;

/** Wraps a Dispatch. */
export type Middleware = (next: Dispatch) => Dispatch;

/** Wraps `dispatch` in `middleware`. The first one is the outermost: it sees a request first and its result last. */
export function withMiddleware(dispatch: Dispatch, middleware: readonly Middleware[]): Dispatch {
  return middleware.reduceRight((next, wrap) => wrap(next), dispatch);
}
