// The errors of this side: what went wrong below JSON-RPC. Never to be mistaken for an error of the server.

/** Stable: compare by these. */
export type TransportErrorReason =
  /** No answer, because the server could not be reached: name, address, TLS, or a program that would not start. */
  | "unreachable"
  /** The answer broke off, or the peer went away before it. The request is lost and may have been carried out (B-73). */
  | "lost"
  /** Nothing came in time. */
  | "timeout"
  /** Another call that may ask its caller was in progress for too long. The request has not been sent. */
  | "busy"
  /** An older server may still ask for a cancelled call. Calls that ask need another connection. The request has not been sent. */
  | "lost_track"
  /** The server asks in the middle of a call, but has no session that could take the answer. */
  | "no_session"
  /** The caller's signal, whose reason is the `cause`, or a task that was cancelled. */
  | "cancelled"
  /** This connection was closed before or during the request. */
  | "closed"
  /** Something came that is no MCP message, or not the one that was due. */
  | "invalid"
  /** An HTTP status without a JSON-RPC body: a proxy, a wrong address, an overloaded server. */
  | "status"
  /** 401 or 403: credentials are missing, wrong or too weak. */
  | "unauthorized"
  /** A redirect, which is not followed. */
  | "redirect"
  /** More came than the configured bound allows. */
  | "too_large"
  /** What came is nested deeper than could be handed on. */
  | "too_deep";

export interface TransportErrorOptions {
  /** The HTTP status, when there was one. */
  status?: number;
  /** How long the server asked to be left alone, in milliseconds. */
  retryAfterMs?: number;
  cause?: unknown;
}

export class TransportError extends Error {
  readonly reason: TransportErrorReason;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(reason: TransportErrorReason, message: string, options: TransportErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TransportError";
    this.reason = reason;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True for a TransportError, and for the AuthorizationError that extends it, of any copy of this package. */
export function isTransportError(value: unknown): value is TransportError {
  return (
    value instanceof Error &&
    (value.name === "TransportError" || value.name === "AuthorizationError") &&
    typeof (value as TransportError).reason === "string"
  );
}

/** What came, short enough for an error message: one line, quoted, at most 80 characters. */
export function excerptOf(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  return text === "" ? "nothing" : JSON.stringify(shown).replaceAll(hidden, toEscape);
}

/** What JSON leaves as it is although a terminal obeys it: C1 controls, line separators, changes of writing direction. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
