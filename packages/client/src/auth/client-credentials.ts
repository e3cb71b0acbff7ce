// The client credentials grant: a program acts for itself, with a secret or a signed assertion.

import { checkOptions, type KnownOptions } from "@lethe/protocol";
import { type Grant, toScopeParam } from "./grant.ts";
import { type GivenClient, issuerOf, knownGivenClient } from "./oauth-client.ts";
import { requestTokens } from "./token-endpoint.ts";

/** The identity of the program. */
export interface ClientCredentialsOptions {
  /** The client, with a `clientSecret` or a `privateKey`. Set its `issuer` so that only that authorization server receives the secret. */
  client: GivenClient;
}

const knownClientCredentialsOptions: KnownOptions<ClientCredentialsOptions> = { client: knownGivenClient };

/**
 * Gets tokens with the client credentials grant: a program acts for itself, with a secret or a signed assertion.
 *
 * @example
 * import { clientCredentials } from "@lethe/client/auth";
 *
 * const issuer = "https://auth.example.com";
 * const grant = clientCredentials({ client: { clientId: "nightly-job", clientSecret: "secret", issuer } });
 * console.log(grant.trustedUrls); // [ 'https://auth.example.com' ]
 */
export function clientCredentials(options: ClientCredentialsOptions): Grant {
  checkOptions("clientCredentials", options, knownClientCredentialsOptions);
  const { client } = options;
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
