// Failures below JSON-RPC, distinct from errors that the server returns.

/** Stable codes. Compare errors by them. */
export type TransportErrorReason =
  /** The server could not be reached: name, address, TLS, or a program that did not start. */
  | "unreachable"
  /** The response was cut off, or the peer went away before it. The request may have been executed. */
  | "lost"
  /** Nothing arrived within the time limit. */
  | "timeout"
  /** Another call that may ask its caller ran for too long. This request was not sent. */
  | "busy"
  /** An older server may still ask on behalf of a cancelled call. Calls that may ask need another connection. This request was not sent. */
  | "lost_track"
  /** The server asks for input during a call, but too many calls wait for input already. The call was cancelled. */
  | "too_many_pending"
  /** The server asks for input during a call, but has no session that could receive the answer. */
  | "no_session"
  /** The caller's signal was aborted (its reason is the `cause`), or a task was cancelled. */
  | "cancelled"
  /** This connection was closed before or during the request. */
  | "closed"
  /** The peer sent something that is no MCP message, or not the expected one. */
  | "invalid"
  /** An HTTP status without a JSON-RPC body: a proxy, a wrong address, an overloaded server. */
  | "status"
  /** 401 or 403: credentials are missing, wrong or insufficient. */
  | "unauthorized"
  /** A redirect, which is not followed. */
  | "redirect"
  /** The peer sent more than the configured limit allows. */
  | "too_large"
  /** The message is nested too deeply to be forwarded. */
  | "too_deep";

/** What is known about a failure beside its reason. */
export interface TransportErrorOptions {
  /** The HTTP status, if there was a response. */
  status?: number;
  /** How long the server asked to wait before a retry, in ms. */
  retryAfterMs?: number;
  /** The error that led to this one. */
  cause?: unknown;
}

/**
 * A request failed without an error of the server: the network, a time limit or a malformed response. `reason` says which, and `status` and
 * `retryAfterMs` (ms) repeat what an HTTP response said.
 *
 * @example
 * import { TransportError } from "@lethe/client";
 *
 * const error = new TransportError("status", "tools/list: HTTP 503", { status: 503, retryAfterMs: 2_000 });
 * console.log(error.reason, error.status, error.retryAfterMs); // status 503 2000
 */
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

/**
 * True for a TransportError, and for the AuthorizationError that extends it, of any copy of this package.
 *
 * @example
 * import { connect, isTransportError } from "@lethe/client";
 * import { createServer } from "@lethe/server";
 *
 * const client = await connect(createServer({ name: "hello", version: "1.0.0" }));
 * await client.close();
 * const failure = await client.listTools().catch((error: unknown) => error);
 * console.log(isTransportError(failure) && failure.reason); // closed
 */
export function isTransportError(value: unknown): value is TransportError {
  return (
    value instanceof Error &&
    (value.name === "TransportError" || value.name === "AuthorizationError") &&
    typeof (value as TransportError).reason === "string"
  );
}

/** Quotes foreign text for an error message: one line, at most 80 characters. */
export function excerptOf(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  return text === "" ? "nothing" : JSON.stringify(shown).replaceAll(hidden, toEscape);
}

/** Characters that JSON does not escape but terminals obey: C1 controls, line separators, changes of writing direction. */
const hidden = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
