// What goes wrong on the way to an access token (G.2 to G.4): a TransportError, so that a caller who knows only those is told.
import { excerptOf, isTransportError, TransportError } from "../call/transport-error.ts";

/** Stable: compare by these. */
export type AuthorizationErrorCode =
  /** A URL that is neither https nor loopback http, or that no request may be sent to (G-43, G-50). */
  | "insecure_url"
  /** A metadata, registration or token endpoint gave no answer, a redirect, or something else than its JSON document. */
  | "invalid_answer"
  /** The metadata describes another resource than the server that was asked (G-21). */
  | "resource_mismatch"
  /** The metadata, or the callback, names another issuer than the one that was asked (G-23, G-42). */
  | "issuer_mismatch"
  /** The server names none but authorization servers that the host, or the client's registration, rules out (G-24, G-33). */
  | "issuer_refused"
  /** The authorization server cannot do what is needed: PKCE with S256, a grant, a way to authenticate. */
  | "unsupported"
  /** There is no client id: none was given, and the authorization server registers nobody. */
  | "not_registered"
  /** The authorization server refused the registration. */
  | "registration_refused"
  /** The callback does not belong to the request that was sent: wrong or missing state or code. */
  | "invalid_callback"
  /** The user, or the authorization server in the user's place, said no. `oauthError` says why. */
  | "access_denied"
  /** The token endpoint refused. `oauthError` says why. */
  | "token_refused"
  /** The server refused a token that had just been issued for it. */
  | "token_rejected"
  /** The server asks for scopes that were not granted, or more often than is sensible (G-45). */
  | "insufficient_scope"
  /** The user did not come back in time. */
  | "timeout"
  /** A callback or store of the host threw: see the cause. */
  | "failed";

export interface AuthorizationErrorOptions {
  /** The authorization server. */
  issuer?: string | undefined;
  /** The error code of OAuth, such as "invalid_grant". */
  oauthError?: string | undefined;
  /** The HTTP status, when there was one. */
  status?: number | undefined;
  /** Never what a library throws about a body: that holds tokens, and causes get logged. */
  cause?: unknown;
}

/** Its message says what to do next, and holds no token, code or secret. */
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

/** True for an AuthorizationError of any copy of this package. */
export function isAuthorizationError(value: unknown): value is AuthorizationError {
  return isTransportError(value) && value.name === "AuthorizationError";
}

/** What an authorization server says, short and without what might be a token or a code that it repeats. */
export function quoteOf(text: string): string {
  return excerptOf(text.replaceAll(/[\w\-.~+/=]{24,}/g, "..."));
}
