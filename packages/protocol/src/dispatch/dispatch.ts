// The core contract. A server is a Dispatch; a connection to a server is a Dispatch; the gateway is made of Dispatches.
// Every edge (HTTP, stdio, memory, legacy) parses bytes into a ModernRequest, calls one, and writes what comes back.
import type { HeaderReader } from "../http/mirrored-headers.ts";
import type { JsonRpcNotification } from "../jsonrpc/message.ts";
import type { ModernRequest } from "../meta/envelope.ts";
import type { Result } from "../meta/result.ts";

/** Who authenticated. */
export interface Caller {
  /** Stable and unique for one principal: state, caches and sealed tokens are bound to it. */
  readonly id: string;
  readonly scopes?: readonly string[];
  /** Verified claims, for an author's own decisions. Never the token itself. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** When the proof of identity ends (ms since 1970): a stream that lives longer is ended. */
  readonly expiresAt?: number;
}

export type { HeaderReader };

/** What a running request may do besides returning. */
export interface Exchange {
  /** Aborted when the caller goes away or cancels. Made on first use: do not touch it without need. */
  readonly signal: AbortSignal;
  /**
   * What `signal` tells, without making a signal (about 1 KB): runs `callback` once when the caller goes away or cancels,
   * at once when it already has. An exchange may lack it: call the function `onAbort` instead of this member.
   */
  onAbort?(callback: () => void): void;
  /** Who authenticated; undefined when authorization is off. */
  readonly caller: Caller | undefined;
  /**
   * Names the client that sent the request, unguessably: a session of an older revision, or the one user of a client. Only
   * requests of one conversation are known to belong to one user. Absent: the request stands alone.
   */
  readonly conversation?: string | undefined;
  /** True when nobody authenticated where anybody may knock, which is HTTP of any revision: then scopes are missing. */
  readonly isAnonymous?: boolean | undefined;
  /**
   * True when the `requestState` of this request came from the edge itself and not from a client: nobody else has it, so it needs
   * no replay protection.
   */
  readonly keepsState?: boolean | undefined;
  /** Present on HTTP only: what a method needs to check `Mcp-Param-*` (B-39). */
  readonly headers?: HeaderReader | undefined;
  /**
   * Sends a notification that belongs to this request, before its result. Returns false when the peer reads slower than
   * we write: hold back what can wait until `drained()`. Does nothing once the exchange has ended.
   */
  notify(notification: JsonRpcNotification): boolean;
  /** Resolves when the peer has taken what was sent, or the exchange has ended. */
  drained(): Promise<void>;
  /**
   * Sessions of 2025-11-25 over HTTP only: closes the connection before there is a result, and the client comes back for it
   * (D-35). For what takes long and must not hold a connection.
   */
  disconnect?(): void;
}

/** Runs `callback` once when the caller of `exchange` goes away or cancels, at once when it already has. */
export function onAbort(exchange: Exchange, callback: () => void): void {
  if (exchange.onAbort) exchange.onAbort(callback);
  else if (exchange.signal.aborted) callback();
  else exchange.signal.addEventListener("abort", callback, { once: true });
}

/** Answers one request. Rejects with McpError for a protocol error; anything else thrown is an internal error. */
export type Dispatch = (request: ModernRequest, exchange: Exchange) => Promise<Result>;

export type Middleware = (next: Dispatch) => Dispatch;

/** The first middleware is the outermost: it sees a request first and its result last. */
export function withMiddleware(dispatch: Dispatch, middleware: readonly Middleware[]): Dispatch {
  return middleware.reduceRight((next, wrap) => wrap(next), dispatch);
}
