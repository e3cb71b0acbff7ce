// Tokens that are authentic, but no access tokens for the server that gets them.
import { discoverAndRequestJwtAuthGrant } from "@modelcontextprotocol/client";
import { assistantAtCompany, type IdentityProviders, job } from "./identity-providers.ts";

/** Returns, by name: the id token of a user, the ID-JAG for `resource`, and an access token for `other`. */
export async function foreignTokens(
  providers: IdentityProviders,
  resource: string,
  other: string,
): Promise<Readonly<Record<string, string>>> {
  const idToken = await providers.signIn("ann");
  const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
    ...{ idpUrl: providers.company, audience: providers.authorizationServer, resource, idToken },
    ...assistantAtCompany,
  });
  return {
    "an id token": idToken,
    "an ID-JAG": jwtAuthGrant,
    "a token for another server": await tokenFor(other, providers),
  };
}

/** Returns an access token of the job. */
export async function tokenFor(resource: string, { authorizationServer }: IdentityProviders): Promise<string> {
  const response = await fetch(`${authorizationServer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${job.clientId}:${job.clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource, scope: "mcp" }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Returns the status of a request with this token. */
export async function statusWith(token: string, url: string): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
      ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" },
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "server/discover" },
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  await response.text();
  return response.status;
}
