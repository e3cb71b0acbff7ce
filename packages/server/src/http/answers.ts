// Complete HTTP responses as plain data, which both HttpIo implementations can send, and the mapping from errors to them (A.5, A-48).
import { errorCode, httpStatusOf, isMcpError, McpError, type RequestId, refusalOf } from "@lethe/protocol";
import { isAuthenticationError } from "../auth/authentication-error.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { requiredScopesOf } from "../auth/scopes.ts";
import { toErrorText } from "./response-text.ts";

/** A complete HTTP response. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as bytes, such as compressed text. Sent instead of `body`. */
  readonly bytes?: Uint8Array;
}

/** The answer to a notification. */
export const acceptedAnswer: HttpAnswer = { status: 202, headers: {}, body: "" };

export const notFoundAnswer: HttpAnswer = {
  status: 404,
  headers: { "Content-Type": "text/plain" },
  body: "not found",
};

export const failedAnswer: HttpAnswer = {
  status: 500,
  headers: { "Content-Type": "text/plain" },
  body: "internal error",
};

/** Shared by all answers without other headers. */
const jsonHeaders: Readonly<Record<string, string>> = { "Content-Type": "application/json" };

export function toJsonAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body };
}

/** Object.assign, because V8 of Node 20 takes a microsecond to make an object of two spread ones, and is slow to read it. */
export function withHeaders(
  { status, headers, body, bytes }: HttpAnswer,
  added: Readonly<Record<string, string>>,
): HttpAnswer {
  const all = Object.assign({}, headers, added);
  return bytes === undefined ? { status, headers: all, body } : { status, headers: all, body, bytes };
}

/** Rejects an HTTP request rather than a message, so the JSON-RPC error has no id. */
export function toRefusal(status: number, message: string, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return toJsonAnswer(status, toErrorText(undefined, new McpError(errorCode.invalidRequest, message)), headers);
}

export interface ErrorAnswerOptions {
  /** The status of an error that determines none itself. Default: the status of its code. */
  status?: number;
  /** Creates the challenge for a missing scope. */
  authenticator?: Pick<Authenticator, "challenge"> | undefined;
}

/** The answer to a failed request: status, challenge and `Retry-After` follow from the error. */
export function toErrorAnswer(thrown: unknown, id: RequestId | undefined, options?: ErrorAnswerOptions): HttpAnswer {
  const error = toWireError(thrown);
  const text = toErrorText(id, error);
  if (isAuthenticationError(thrown))
    return toJsonAnswer(thrown.status, text, toChallengeHeader(thrown.wwwAuthenticate));
  const scopes = requiredScopesOf(error);
  if (scopes) {
    const challenge = options?.authenticator?.challenge({ error: "insufficient_scope", scopes });
    return toJsonAnswer(403, text, toChallengeHeader(challenge));
  }
  const refusal = refusalOf(error);
  if (refusal) {
    return toJsonAnswer(refusal.status, text, { "Retry-After": String(Math.ceil(refusal.retryAfterMs / 1000)) });
  }
  return toJsonAnswer(options?.status ?? httpStatusOf(error.code), text);
}

/** Replaces an error that the peer may not see by a generic one. */
export function toWireError(thrown: unknown): McpError {
  return isAuthenticationError(thrown) ? new McpError(errorCode.invalidRequest, thrown.message) : McpError.from(thrown);
}

/** True for an error that the peer may not see, and that therefore belongs in the log. */
export function isInternal(thrown: unknown): boolean {
  return !isMcpError(thrown) && !isAuthenticationError(thrown);
}

// G-3, G-4
function toChallengeHeader(challenge: string | undefined): Readonly<Record<string, string>> | undefined {
  return challenge === undefined ? undefined : { "WWW-Authenticate": challenge };
}

/** Called with errors that no client may see. */
export type ErrorReport = (error: unknown) => void;

/** Wraps a report so that it never throws: a failing log must not fail a request. Default: console.error. */
export function toErrorReport(report: ErrorReport = console.error): ErrorReport {
  return (error) => {
    try {
      report(error);
    } catch (failure) {
      console.error(failure);
    }
  };
}
