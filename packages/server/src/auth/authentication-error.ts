// Why a request was turned away before anything else looked at it (G-3, G-4), in the only words a stranger gets to see.

export interface AuthenticationErrorOptions {
  /** The `WWW-Authenticate` header to answer with. */
  wwwAuthenticate?: string;
  /** What really happened: for the log, never for the wire. */
  cause?: unknown;
}

/**
 * 400 for a malformed header, 401 without a valid token, 403 for a valid token without the base scopes, 503 when the
 * keys to verify it with cannot be had. `message` is fixed per status and may be shown.
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

/** True for an AuthenticationError of any copy of this package. */
export function isAuthenticationError(value: unknown): value is AuthenticationError {
  return value instanceof Error && value.name === "AuthenticationError" && "wwwAuthenticate" in value;
}
