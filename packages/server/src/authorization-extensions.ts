// The authorization extensions on the server: what it declares. `createAuthenticator` verifies the tokens, which are ordinary access tokens.
import type { ServerExtension } from "./server-extension.ts";

/**
 * The extension OAuth Client Credentials: tells clients that the server accepts tokens of programs without a user. Pass the option `auth` to
 * `createServer` as well, because the extension itself checks nothing.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { oauthClientCredentials } from "@lethe/server/extensions";
 *
 * const server = createServer({ name: "reports", version: "1.0.0" });
 * server.use(oauthClientCredentials());
 */
export function oauthClientCredentials(): ServerExtension {
  return { id: "io.modelcontextprotocol/oauth-client-credentials" };
}

/**
 * The extension Enterprise-Managed Authorization: tells clients that the authorization server of this server accepts the grants (ID-JAG) of a
 * company's identity provider. Pass the option `auth` to `createServer` as well, because the extension itself checks nothing.
 *
 * @example
 * import { createServer } from "@lethe/server";
 * import { enterpriseManagedAuthorization } from "@lethe/server/extensions";
 *
 * const server = createServer({ name: "reports", version: "1.0.0" });
 * server.use(enterpriseManagedAuthorization());
 */
export function enterpriseManagedAuthorization(): ServerExtension {
  return { id: "io.modelcontextprotocol/enterprise-managed-authorization" };
}
