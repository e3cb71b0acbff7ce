// `createAuthorizer` for Node: fetches URLs that public servers name from public addresses only (G-51).
import { checkOptions } from "@lethe/protocol";
import type { Authorizer } from "../auth/authorizer.ts";
import {
  type AuthorizerOptions,
  createAuthorizer as createPlainAuthorizer,
  knownAuthorizerOptions,
} from "../auth/create-authorizer.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/**
 * Like `createAuthorizer` of `@lethe/client/auth`, with `createGuardedFetch` as the default of `fetch`. Authorization servers
 * named in `options.grant` may have any address.
 *
 * @example
 * import { authorizationCode } from "@lethe/client/auth";
 * import { createAuthorizer, createLoopbackRedirect } from "@lethe/client/node";
 *
 * const grant = authorizationCode({ clientName: "My program", ...createLoopbackRedirect() });
 * const authorizer = createAuthorizer("https://mcp.example.com/mcp", { grant });
 *
 * // Pass it to a client: `connect(url, { authorizer })`. The browser opens when the server requires a token.
 * console.log(typeof authorizer.onUnauthorized); // function
 */
export function createAuthorizer(server: string | URL, options: AuthorizerOptions): Authorizer {
  checkOptions("createAuthorizer", options, knownAuthorizerOptions);
  const { fetch = createGuardedFetch({ server, trusted: options.grant.trustedUrls }) } = options;
  return createPlainAuthorizer(server, { ...options, fetch });
}
