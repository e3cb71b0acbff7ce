// The authorization code grant with PKCE (G-30 to G-43): the user grants access in a browser.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import type { TokenEndpointResponse } from "oauth4webapi";
import { AuthorizationError } from "./authorization-error.ts";
import { type CallbackExpectation, processCallback } from "./callback.ts";
import { type Grant, type GrantRequest, toScopeParam } from "./grant.ts";
import {
  type ClientKey,
  type GivenClient,
  issuerOf,
  knownClientKey,
  knownGivenClient,
  type OAuthClient,
} from "./oauth-client.ts";
import { knownRegistrationOptions, type RegistrationOptions, register } from "./registration.ts";
import { hasOfflineAccess } from "./scopes.ts";
import { parseSecureUrl } from "./secure-url.ts";
import type { AuthorizationServer } from "./server-metadata.ts";
import { callTokenEndpoint } from "./token-endpoint.ts";

/** How the user is sent to the authorization server, and as which client. */
export interface AuthorizationCodeOptions extends RegistrationOptions {
  /** Where the authorization server sends the user back to: https, or http to a loopback address. */
  redirectUrl: string | URL | (() => Promise<string | URL>);
  /** Opens `url` for the user. Resolves to the URL that the user returned to: `redirectUrl` with its query. */
  redirect(url: URL, options: { signal: AbortSignal }): Promise<URL>;
  /** A client registered in advance. Takes precedence over the other two. */
  client?: GivenClient | undefined;
  /** The https URL of a client metadata document, for authorization servers that support them. */
  clientMetadataUrl?: string | undefined;
  /** The private key for the JWKS in the client metadata document. */
  clientKey?: ClientKey | undefined;
}

const knownAuthorizationCodeOptions: KnownOptions<AuthorizationCodeOptions> = {
  ...knownRegistrationOptions,
  redirectUrl: "a value",
  redirect: "a function",
  client: knownGivenClient,
  clientMetadataUrl: true,
  clientKey: knownClientKey,
};

/**
 * Gets tokens with the authorization code grant and PKCE: the user grants access in a browser. Uses the configured client, else a client
 * metadata document, else registers a client. On Node, `createLoopbackRedirect` supplies `redirectUrl` and `redirect`. Throws TypeError if
 * `clientMetadataUrl` is not an https URL with a path.
 *
 * @example
 * import { authorizationCode, createAuthorizer } from "@lethe/client/auth";
 *
 * const grant = authorizationCode({
 *   clientName: "My program",
 *   redirectUrl: "https://app.example.com/callback",
 *   // Sends the user to `url`, and resolves to the URL that the user returns to.
 *   redirect: async (url) => new URL(`/callback?code=c&state=${url.searchParams.get("state")}`, "https://app.example.com"),
 * });
 * const authorizer = createAuthorizer("https://mcp.example.com/mcp", { grant });
 * console.log(grant.isInteractive, typeof authorizer.authorize); // true function
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  checkOptions("authorizationCode", options, knownAuthorizationCodeOptions);
  const { clientMetadataUrl } = options;
  if (clientMetadataUrl !== undefined && !isClientMetadataUrl(clientMetadataUrl)) {
    throw new TypeError(`clientMetadataUrl must be an https URL with a path, got ${clientMetadataUrl}`);
  }
  return {
    client: options.client,
    trustedUrls: issuerOf(options.client),
    isInteractive: true,
    identify: (request) => identify(options, request),
    obtain: (request, client) => obtain(options, request, client),
  };
}

// G-31
function isClientMetadataUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, hash, username } = new URL(text);
  return protocol === "https:" && pathname !== "/" && hash === "" && username === "";
}

// G-30: a configured client first, then a metadata document, then dynamic registration.
async function identify(options: AuthorizationCodeOptions, request: GrantRequest): Promise<OAuthClient> {
  const { server, clients, fetch, signal } = request;
  const { client, clientMetadataUrl, clientKey } = options;
  if (client) return clients.bind(client, server.issuer);
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
    return { clientId: clientMetadataUrl, ...(clientKey ? { privateKey: clientKey } : {}) };
  }
  if (server.registration_endpoint === undefined) {
    const message = `the authorization server ${server.issuer} registers no clients by itself; register one there by hand and give its id`;
    throw new AuthorizationError("not_registered", message, { issuer: server.issuer });
  }
  const redirectUrl = await redirectUrlOf(options);
  const known = await clients.find(server.issuer, redirectUrl);
  if (known) return known;
  const registration = await register(server, { ...options, fetch, signal, redirectUrl });
  await clients.save(server.issuer, registration);
  return registration;
}

async function obtain(
  options: AuthorizationCodeOptions,
  request: GrantRequest,
  client: OAuthClient,
): Promise<TokenEndpointResponse> {
  const { server, signal, resource } = request;
  requirePkce(server);
  const { generateRandomCodeVerifier, generateRandomState, calculatePKCECodeChallenge } = await import("oauth4webapi");
  const redirectUrl = await redirectUrlOf(options);
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const codeChallenge = await calculatePKCECodeChallenge(verifier);
  const url = toAuthorizationUrl(request, { clientId: client.clientId, redirectUrl, state, codeChallenge });
  const callback = await options.redirect(url, { signal });
  signal.throwIfAborted();
  const expected: CallbackExpectation = { server, clientId: client.clientId, state };
  const parameters = await processCallback(callback, expected);

  return callTokenEndpoint(request, client, async (oauth, { client, auth, options }) => {
    const withResource = { ...options, additionalParameters: { resource } };
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      parameters,
      redirectUrl,
      verifier,
      withResource,
    );
    return oauth.processAuthorizationCodeResponse(server, client, response);
  });
}

// G-40: metadata without PKCE methods does not show that the server verifies PKCE.
function requirePkce({ issuer, code_challenge_methods_supported }: AuthorizationServer): void {
  if (code_challenge_methods_supported?.includes("S256")) return;
  const message = `the authorization server ${issuer} does not say that it supports PKCE with S256, so a stolen code could be used; it cannot be used safely`;
  throw new AuthorizationError("unsupported", message, { issuer });
}

export interface AuthorizationUrlOptions {
  readonly clientId: string;
  readonly redirectUrl: string;
  readonly state: string;
  readonly codeChallenge: string;
}

// The URL to send the user to: https or loopback http only (G-50).
function toAuthorizationUrl(
  { server, resource, scopes }: Pick<GrantRequest, "server" | "resource" | "scopes">,
  { clientId, redirectUrl, state, codeChallenge }: AuthorizationUrlOptions,
): URL {
  const url = parseSecureUrl(server.authorization_endpoint ?? "", `the authorization endpoint of ${server.issuer}`);
  const query = url.searchParams;
  query.set("response_type", "code");
  query.set("client_id", clientId);
  query.set("redirect_uri", redirectUrl);
  query.set("state", state);
  query.set("code_challenge", codeChallenge);
  query.set("code_challenge_method", "S256");
  query.set("resource", resource);
  const scope = toScopeParam(scopes);
  if (scope !== undefined) query.set("scope", scope);
  // OpenID Connect grants offline access only after asking the user.
  if (hasOfflineAccess(scopes)) query.set("prompt", "consent");
  return url;
}

async function redirectUrlOf({ redirectUrl }: AuthorizationCodeOptions): Promise<string> {
  const url = String(typeof redirectUrl === "function" ? await redirectUrl() : redirectUrl);
  parseSecureUrl(url, "the redirect URL");
  return url;
}
