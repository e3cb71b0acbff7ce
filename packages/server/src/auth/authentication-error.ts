// The error of a request that failed authentication (G-3, G-4).

export interface AuthenticationErrorOptions {
  /** The `WWW-Authenticate` header to answer with. */
  wwwAuthenticate?: string;
  /** The actual reason: for the log, never for the caller. */
  cause?: unknown;
}

/**
 * An HTTP request without an acceptable token. `status` is 400 for a malformed header, 401 without a valid token, 403 without the
 * required scopes, and 503 when the keys for verification are unavailable. The message is fixed per status and may be shown.
 *
 * @example
 * import { AuthenticationError, createKeyAuthenticator } from "@lethe/server/auth";
 *
 * const authenticator = createKeyAuthenticator([{ id: "ann", key: "a-key-of-16-characters" }]);
 * const error: unknown = await authenticator.authenticate("Bearer wrong-key").catch((reason) => reason);
 * console.log(error instanceof AuthenticationError && error.status); // 401
 */
export class AuthenticationError extends Error {
  readonly status: 400 | 401 | 403 | 503;
  readonly wwwAuthenticate: string | undefined;

  constructor(status: 400 | 401 | 403 | 503, message: string, options: AuthenticationErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AuthenticationError";
    this.status = status;
    this.wwwAuthenticate = options.wwwAuthenticate;
  }
}

/**
 * Whether `value` is an AuthenticationError, also one of another copy of this package.
 *
 * @example
 * import { isAuthenticationError } from "@lethe/server/auth";
 *
 * console.log(isAuthenticationError(new Error("other"))); // false
 */
export function isAuthenticationError(value: unknown): value is AuthenticationError {
  return value instanceof Error && value.name === "AuthenticationError" && "wwwAuthenticate" in value;
}
