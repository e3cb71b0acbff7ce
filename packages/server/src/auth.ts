// The entry point @lethe/server/auth: turn the credentials of an HTTP request into a caller.

export type { Caller } from "@lethe/protocol";
export { AuthenticationError, isAuthenticationError } from "./auth/authentication-error.ts";
export { type Authenticator, type AuthenticatorOptions, createAuthenticator } from "./auth/authenticator.ts";
export type { JwtOptions, TokenVerifier } from "./auth/jwt-verifier.ts";
export { type ApiKey, createKeyAuthenticator } from "./auth/key-authenticator.ts";
export { requireScopes, type ScopeHierarchy } from "./auth/scopes.ts";
export type { Sender } from "./auth/sender.ts";
