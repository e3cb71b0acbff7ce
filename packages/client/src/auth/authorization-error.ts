// Failures to get an access token (G.2 to G.4). They extend TransportError, so callers that know only that class handle them.
import { excerptOf, isTransportError, TransportError } from "../call/transport-error.ts";

/** Stable codes. Compare errors by them. */
export type AuthorizationErrorCode =
  /** A URL is neither https nor loopback http, or may not be requested. */
  | "insecure_url"
  /** A metadata, registration or token endpoint did not answer, redirected, or did not return its JSON document. */
  | "invalid_answer"
  /** The metadata describes another resource than the requested server. */
  | "resource_mismatch"
  /** The metadata or the callback names another issuer than the requested one. */
  | "issuer_mismatch"
  /** The server names only authorization servers that the host or the client's registration excludes. */
  | "issuer_refused"
  /** The authorization server lacks a required feature: PKCE with S256, a grant type or a client authentication method. */
  | "unsupported"
  /** No client id was configured, and the authorization server does not register clients. */
  | "not_registered"
  /** The authorization server rejected the registration. */
  | "registration_refused"
  /** The callback does not match the request: its state or code is wrong or missing. */
  | "invalid_callback"
  /** The user or the authorization server denied access. `oauthError` has the reason. */
  | "access_denied"
  /** The token endpoint rejected the request. `oauthError` has the reason. */
  | "token_refused"
  /** The server rejected a token that was just issued for it. */
  | "token_rejected"
  /** The server requires scopes that were not granted, or asks for new scopes too often. */
  | "insufficient_scope"
  /** The user did not return in time. */
  | "timeout"
  /** A callback or a store of the host threw. `cause` has its error. */
  | "failed";

/** What is known about a failed authorization beside its code. */
export interface AuthorizationErrorOptions {
  /** The issuer of the authorization server. */
  issuer?: string | undefined;
  /** The OAuth error code, such as "invalid_grant". */
  oauthError?: string | undefined;
  /** The HTTP status, if there was a response. */
  status?: number | undefined;
  /** Never an error that contains a response body: bodies contain tokens, and causes get logged. */
  cause?: unknown;
}

/**
 * Authorization failed. The message says what to do next and contains no token, code or secret. Extends TransportError with the reason
 * "unauthorized"; `code` says which step failed.
 *
 * @example
 * import { AuthorizationError } from "@lethe/client/auth";
 *
 * const options = { issuer: "https://auth.example.com", oauthError: "access_denied" };
 * const error = new AuthorizationError("access_denied", "the user denied access", options);
 * console.log(error.reason, error.code, error.oauthError); // unauthorized access_denied access_denied
 */
export class AuthorizationError extends TransportError {
  readonly code: AuthorizationErrorCode;
  readonly issuer: string | undefined;
  readonly oauthError: string | undefined;

  constructor(code: AuthorizationErrorCode, message: string, options: AuthorizationErrorOptions = {}) {
    const { status, cause } = options;
    super("unauthorized", message, { cause, ...(status === undefined ? {} : { status }) });
    this.name = "AuthorizationError";
    this.code = code;
    this.issuer = options.issuer;
    this.oauthError = options.oauthError;
  }
}

/**
 * True for an AuthorizationError of any copy of this package.
 *
 * @example
 * import { AuthorizationError, isAuthorizationError } from "@lethe/client/auth";
 *
 * console.log(isAuthorizationError(new AuthorizationError("timeout", "the user did not return"))); // true
 * console.log(isAuthorizationError(new Error("another failure"))); // false
 */
export function isAuthorizationError(value: unknown): value is AuthorizationError {
  return isTransportError(value) && value.name === "AuthorizationError";
}

/** Quotes text of an authorization server: shortened, with possible tokens and codes removed. */
export function quoteOf(text: string): string {
  return excerptOf(text.replaceAll(/[\w\-.~+/=]{24,}/g, "..."));
}
