// Grants with a signed assertion (RFC 7523): from the workload's platform, or from the company's identity provider.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { AuthorizationError } from "./authorization-error.ts";
import { type Grant, type GrantRequest, toScopeParam } from "./grant.ts";
import { type GivenClient, issuerOf, knownGivenClient, knownOAuthClient, type OAuthClient } from "./oauth-client.ts";
import { type AuthorizationServer, discoverServer } from "./server-metadata.ts";
import { requestTokens } from "./token-endpoint.ts";

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";

/** The audience and resource of an assertion. */
export interface AssertionTarget {
  /** The issuer of the authorization server, which is the audience of the assertion. */
  readonly issuer: string;
  /** The MCP server that the token is for. */
  readonly resource: string;
  /** Aborted when the token is no longer needed. */
  readonly signal: AbortSignal;
}

/** The identity of a workload. */
export interface WorkloadIdentityOptions {
  /** The client at the authorization server of the MCP server. */
  client: GivenClient;
  /** Returns a JWT from the platform that the workload runs on, with the issuer as its audience. Called for each token. */
  assertion: (target: AssertionTarget) => string | Promise<string>;
}

const knownWorkloadIdentityOptions: KnownOptions<WorkloadIdentityOptions> = {
  client: knownGivenClient,
  assertion: "a function",
};

/**
 * Gets tokens with workload identity federation: the platform vouches for the workload, so no secret is stored.
 *
 * @example
 * import { workloadIdentity } from "@lethe/client/auth";
 *
 * const grant = workloadIdentity({
 *   client: { clientId: "workload", issuer: "https://auth.example.com" },
 *   assertion: async ({ issuer, signal }) => {
 *     const response = await fetch(`http://metadata.internal/identity?audience=${issuer}`, { signal });
 *     return response.text();
 *   },
 * });
 * console.log(grant.isInteractive); // false
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Grant {
  checkOptions("workloadIdentity", options, knownWorkloadIdentityOptions);
  const { client, assertion } = options;
  return byAssertion(client, ({ server, resource, signal }) => assertion({ issuer: server.issuer, resource, signal }));
}

/** The identity provider of a company, and the client at it. */
export interface IdentityProvider {
  /** The issuer of its id tokens, an https URL. */
  readonly issuer: string;
  /** Default: from the issuer's metadata. */
  readonly tokenEndpoint?: string;
  /** The client id at the identity provider. */
  readonly client: OAuthClient;
}

const knownIdentityProvider: KnownOptions<IdentityProvider> = {
  issuer: "a string",
  tokenEndpoint: true,
  client: knownOAuthClient,
};

/** The identities of an assistant at the authorization server and at the identity provider. */
export interface EnterpriseManagedOptions {
  /** The client at the authorization server of the MCP server. */
  client: GivenClient;
  /** The identity provider of the company. */
  identityProvider: IdentityProvider;
  /** Returns the id token of the user who signed in to the identity provider. Called for each token. */
  idToken: () => string | Promise<string>;
}

const knownEnterpriseManagedOptions: KnownOptions<EnterpriseManagedOptions> = {
  client: knownGivenClient,
  identityProvider: knownIdentityProvider,
  idToken: "a function",
};

/**
 * Gets tokens from a company's identity provider, which decides which servers its users may access, without asking them again.
 *
 * @example
 * import { enterpriseManaged } from "@lethe/client/auth";
 *
 * const grant = enterpriseManaged({
 *   client: { clientId: "assistant", issuer: "https://auth.example.com" },
 *   identityProvider: { issuer: "https://idp.example.com", client: { clientId: "assistant-at-idp" } },
 *   idToken: () => "the id token of the signed-in user",
 * });
 * console.log(grant.trustedUrls.includes("https://idp.example.com")); // true
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Grant {
  checkOptions("enterpriseManaged", options, knownEnterpriseManagedOptions);
  const { client, identityProvider, idToken } = options;
  const { issuer, tokenEndpoint = issuer } = identityProvider;
  const assertionFor = async (request: GrantRequest) => exchange(request, identityProvider, await idToken());
  return byAssertion(client, assertionFor, [issuer, tokenEndpoint]);
}

function byAssertion(
  client: GivenClient,
  assertionFor: (request: GrantRequest) => string | Promise<string>,
  trusted: readonly string[] = [],
): Grant {
  return {
    client,
    trustedUrls: [...issuerOf(client), ...trusted],
    isInteractive: false,
    identify: ({ clients, server }) => clients.bind(client, server.issuer),
    async obtain(request, identity) {
      const { resource, scopes } = request;
      const assertion = await assertionFor(request);
      return requestTokens(request, identity, {
        grantType: jwtBearer,
        assertion,
        resource,
        scope: toScopeParam(scopes),
      });
    },
  };
}

/** Gets an assertion for the authorization server in exchange for a sign-in at the identity provider. */
async function exchange(request: GrantRequest, provider: IdentityProvider, idToken: string): Promise<string> {
  const { fetch, signal, server, resource, scopes } = request;
  const endpoint = { server: await metadataOf(provider, request), fetch, signal, dpop: undefined };
  const answer = await requestTokens(endpoint, provider.client, {
    grantType: tokenExchange,
    requested_token_type: idJag,
    audience: server.issuer,
    resource,
    scope: toScopeParam(scopes),
    subject_token: idToken,
    subject_token_type: idTokenType,
  });
  if (answer.issued_token_type === idJag) return answer.access_token;
  const { issuer } = provider;
  const message = `the identity provider ${issuer} gave another token than the authorization grant that was asked for; enable it for ${server.issuer} there`;
  throw new AuthorizationError("invalid_answer", message, { issuer });
}

async function metadataOf(
  { issuer, tokenEndpoint }: IdentityProvider,
  request: GrantRequest,
): Promise<AuthorizationServer> {
  return tokenEndpoint === undefined ? discoverServer(issuer, request) : { issuer, token_endpoint: tokenEndpoint };
}
