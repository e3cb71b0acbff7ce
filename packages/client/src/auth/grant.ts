// The interface of a grant: the part of getting a token that differs between grants.
import type { TokenEndpointResponse } from "oauth4webapi";
import type { Clients } from "./clients.ts";
import type { GivenClient, OAuthClient } from "./oauth-client.ts";
import type { Scopes } from "./scopes.ts";
import type { TokenEndpoint } from "./token-endpoint.ts";

/** A way to get tokens. Created by `authorizationCode`, `clientCredentials`, `enterpriseManaged` or `workloadIdentity`. */
export interface Grant {
  /** The client that the host configured. It belongs to one issuer. Undefined if clients are registered on demand. */
  readonly client: GivenClient | undefined;
  /** Authorization servers that the host configured. They may have private addresses, even if the MCP server is public. */
  readonly trustedUrls: readonly string[];
  /** True if a user takes part. Only then is a refresh token useful. */
  readonly isInteractive: boolean;
  /** Our client at this authorization server. Registers one if necessary. */
  identify(request: GrantRequest): Promise<OAuthClient>;
  /** Requests tokens for `client`. Rejects with AuthorizationError. */
  obtain(request: GrantRequest, client: OAuthClient): Promise<TokenEndpointResponse>;
}

/** One request for tokens: the authorization server, the resource and the scopes. */
export interface GrantRequest extends TokenEndpoint {
  /** Sent unchanged in each request, byte for byte. */
  readonly resource: string;
  /** Undefined lets the authorization server choose. */
  readonly scopes: Scopes | undefined;
  /** The registrations of this account, each bound to its issuer. */
  readonly clients: Clients;
}

export function toScopeParam(scopes: Scopes | undefined): string | undefined {
  return scopes === undefined || scopes.length === 0 ? undefined : scopes.join(" ");
}
