// How tokens are obtained: the seam between what an authorizer always does and what differs between grants.
import type { TokenEndpointResponse } from "oauth4webapi";
import type { Clients } from "./clients.ts";
import type { GivenClient, OAuthClient } from "./oauth-client.ts";
import type { Scopes } from "./scopes.ts";
import type { TokenEndpoint } from "./token-endpoint.ts";

/** Made by `authorizationCode`, `clientCredentials`, `enterpriseManaged` or `workloadIdentity`. */
export interface Grant {
  /** The client that the host configured. It belongs to one issuer. Undefined if clients are registered on demand. */
  readonly client: GivenClient | undefined;
  /** Authorization servers that the host configured. They may be at private addresses, wherever the MCP server is. */
  readonly trustedUrls: readonly string[];
  /** True when a user takes part: then a refresh token is worth asking for. */
  readonly isInteractive: boolean;
  /** Who we are at this authorization server; registers us when need be. */
  identify(request: GrantRequest): Promise<OAuthClient>;
  obtain(request: GrantRequest, client: OAuthClient): Promise<TokenEndpointResponse>;
}

export interface GrantRequest extends TokenEndpoint {
  /** Goes into each request byte for byte (G-41). */
  readonly resource: string;
  /** Undefined lets the authorization server decide. */
  readonly scopes: Scopes | undefined;
  readonly clients: Clients;
}

export function toScopeParam(scopes: Scopes | undefined): string | undefined {
  return scopes === undefined || scopes.length === 0 ? undefined : scopes.join(" ");
}
