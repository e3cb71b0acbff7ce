// The client credentials grant: a program acts for itself, with a secret or a signed assertion.
import { type Grant, toScopeParam } from "./grant.ts";
import { type GivenClient, issuerOf } from "./oauth-client.ts";
import { requestTokens } from "./token-endpoint.ts";

export interface ClientCredentialsOptions {
  /** The client, with a `clientSecret` or a `privateKey`. Set its `issuer` so that only that authorization server receives the secret. */
  client: GivenClient;
}

export function clientCredentials({ client }: ClientCredentialsOptions): Grant {
  return {
    client,
    trustedUrls: issuerOf(client),
    isInteractive: false,
    identify: ({ clients, server }) => clients.bind(client, server.issuer),
    obtain: (request, identity) =>
      requestTokens(request, identity, {
        grantType: "client_credentials",
        resource: request.resource,
        scope: toScopeParam(request.scopes),
      }),
  };
}
