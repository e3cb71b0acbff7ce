// Entry point of @lethe/client/auth: access tokens for protected servers. The variants for Node are in @lethe/client/node.

export type { Fetch as AuthorizationFetch } from "./auth/auth-fetch.ts";
export { type AuthStore, createMemoryAuthStore, type MemoryAuthStoreOptions } from "./auth/auth-store.ts";
export { type AuthorizationCodeOptions, authorizationCode } from "./auth/authorization-code.ts";
export {
  AuthorizationError,
  type AuthorizationErrorCode,
  type AuthorizationErrorOptions,
  isAuthorizationError,
} from "./auth/authorization-error.ts";
export type { AuthorizationHeaders, Authorizer, OutgoingRequest, Refusal } from "./auth/authorizer.ts";
export { type ClientCredentialsOptions, clientCredentials } from "./auth/client-credentials.ts";
export { type AuthorizerOptions, createAuthorizer } from "./auth/create-authorizer.ts";
export type { Grant, GrantRequest } from "./auth/grant.ts";
export {
  type AssertionTarget,
  type EnterpriseManagedOptions,
  enterpriseManaged,
  type IdentityProvider,
  type WorkloadIdentityOptions,
  workloadIdentity,
} from "./auth/jwt-bearer.ts";
export type { ClientKey, GivenClient, OAuthClient } from "./auth/oauth-client.ts";
export type { RegistrationOptions } from "./auth/registration.ts";
export {
  type AuthorizationExtensionOptions,
  enterpriseManagedAuthorization,
  oauthClientCredentials,
} from "./extensions/authorization.ts";
