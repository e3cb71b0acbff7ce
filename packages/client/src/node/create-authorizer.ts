// `createAuthorizer` for Node: fetches URLs that public servers name from public addresses only (G-51).
import type { Authorizer } from "../auth/authorizer.ts";
import { type AuthorizerOptions, createAuthorizer as createPlainAuthorizer } from "../auth/create-authorizer.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/**
 * Like `createAuthorizer` of `@lethe/client`, with `createGuardedFetch` as the default of `fetch`. Authorization servers
 * named in `options.grant` may have any address.
 */
export function createAuthorizer(server: string | URL, options: AuthorizerOptions): Authorizer {
  const { fetch = createGuardedFetch({ server, trusted: options.grant.trustedUrls }) } = options;
  return createPlainAuthorizer(server, { ...options, fetch });
}
