// Finished HTTP answers as plain data, so that the fetch and the node:http edges say the same (A.5, A-48).
import { errorCode, httpStatusOf, isMcpError, McpError, type RequestId, refusalOf } from "@lethe/protocol";
import { isAuthenticationError } from "../auth/authentication-error.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { requiredScopesOf } from "../auth/scopes.ts";
import { toErrorText } from "./response-text.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** B-7 */
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

/** Shared by all answers that need no other: an edge may know it by identity. */
export const jsonHeaders: Readonly<Record<string, string>> = { "Content-Type": "application/json" };

export function toJsonAnswer(status: number, body: string, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return { status, headers: headers ? { ...jsonHeaders, ...headers } : jsonHeaders, body };
}

/** A refusal that is about HTTP and not about a message: its JSON-RPC error has no id. */
export function toRefusal(status: number, message: string, headers?: Readonly<Record<string, string>>): HttpAnswer {
  return toJsonAnswer(status, toErrorText(undefined, new McpError(errorCode.invalidRequest, message)), headers);
}

export interface ErrorAnswerOptions {
  /** Overrides the table, for an error that it cannot tell from another. */
  status?: number;
  /** Words the challenge of a missing scope. */
  authenticator?: Pick<Authenticator, "challenge"> | undefined;
}

/** What a failed request answers. */
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

/** The error as the peer may see it. */
export function toWireError(thrown: unknown): McpError {
  return isAuthenticationError(thrown) ? new McpError(errorCode.invalidRequest, thrown.message) : McpError.from(thrown);
}

/** True for an error that a peer may not see, and that the log therefore has to show. */
export function isInternal(thrown: unknown): boolean {
  return !isMcpError(thrown) && !isAuthenticationError(thrown);
}

/** G-3, G-4 */
function toChallengeHeader(challenge: string | undefined): Readonly<Record<string, string>> | undefined {
  return challenge === undefined ? undefined : { "WWW-Authenticate": challenge };
}
