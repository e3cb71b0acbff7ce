// One request to a token endpoint, for any grant: client authentication, DPoP, and errors without secrets.
import type {
  AuthorizationServer,
  Client,
  ClientAuth,
  TokenEndpointRequestOptions,
  TokenEndpointResponse,
} from "oauth4webapi";
import type { AuthFetch } from "./auth-fetch.ts";
import { AuthorizationError, isAuthorizationError, quoteOf } from "./authorization-error.ts";
import type { DpopKey } from "./dpop.ts";
import { createClientAuth, type OAuthClient } from "./oauth-client.ts";
import { parseSecureUrl } from "./secure-url.ts";

export interface TokenEndpoint {
  readonly server: AuthorizationServer;
  readonly fetch: AuthFetch;
  readonly signal: AbortSignal;
  readonly dpop: DpopKey | undefined;
}

/** Options that the library needs for each request. */
export interface TokenCall {
  readonly client: Client;
  readonly auth: ClientAuth;
  readonly options: Omit<TokenEndpointRequestOptions, "additionalParameters">;
}

type OAuthLibrary = typeof import("oauth4webapi");

/** Sends any grant except the authorization code, which has its own check. Throws AuthorizationError. */
export function requestTokens(
  endpoint: TokenEndpoint,
  client: OAuthClient,
  { grantType, ...parameters }: { grantType: string } & Record<string, string | undefined>,
): Promise<TokenEndpointResponse> {
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return callTokenEndpoint(endpoint, client, async (oauth, { client, auth, options }) => {
    const { server } = endpoint;
    const response = await oauth.genericTokenEndpointRequest(server, client, auth, grantType, present, options);
    // A token exchange may return a token that is no access token, marked "N_A" (RFC 8693 section 2.2.1).
    return oauth.processGenericTokenEndpointResponse(server, client, response, { recognizedTokenTypes: { n_a() {} } });
  });
}

/** Repeats the request once if the authorization server requires another DPoP nonce (RFC 9449 section 8). */
export async function callTokenEndpoint(
  { server, fetch, signal, dpop }: TokenEndpoint,
  client: OAuthClient,
  call: (oauth: OAuthLibrary, prepared: TokenCall) => Promise<TokenEndpointResponse>,
): Promise<TokenEndpointResponse> {
  const oauth = await import("oauth4webapi");
  parseSecureUrl(server.token_endpoint ?? "", `the token endpoint of ${server.issuer}`);
  const prepared: TokenCall = {
    client: { client_id: client.clientId },
    auth: await createClientAuth(server, client),
    options: {
      [oauth.customFetch]: fetch,
      // parseSecureUrl has checked the URL; it also allows loopback addresses.
      [oauth.allowInsecureRequests]: true,
      signal,
      ...(dpop ? { DPoP: dpop.handle } : {}),
    },
  };
  try {
    return await call(oauth, prepared).catch((thrown: unknown) => {
      if (oauth.isDPoPNonceError(thrown)) return call(oauth, prepared);
      throw thrown;
    });
  } catch (thrown) {
    throw signal.aborted ? signal.reason : toAuthorizationError(oauth, server.issuer, thrown);
  }
}

function toAuthorizationError(oauth: OAuthLibrary, issuer: string, thrown: unknown): AuthorizationError {
  if (isAuthorizationError(thrown)) return thrown;
  if (thrown instanceof oauth.ResponseBodyError) {
    const { error: oauthError, error_description: description, status } = thrown;
    const why = description === undefined ? "" : ` (${quoteOf(description)})`;
    const message = `the authorization server ${issuer} gave no token: ${quoteOf(oauthError)}${why}`;
    return new AuthorizationError("token_refused", message, { issuer, oauthError, status });
  }
  if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
    const message = `the authorization server ${issuer} does not accept how this client authenticates; check its id and secret`;
    return new AuthorizationError("token_refused", message, {
      issuer,
      oauthError: "invalid_client",
      status: thrown.status,
    });
  }
  // The library's message names a member or a status; its cause would contain the whole response.
  const why = thrown instanceof oauth.OperationProcessingError ? thrown.message : "the request could not be made";
  return new AuthorizationError("invalid_answer", `the token endpoint of ${issuer}: ${quoteOf(why)}`, { issuer });
}
