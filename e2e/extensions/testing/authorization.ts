// The cells of the authorization extensions, with the authorization server and the identity provider of oidc-provider.
import { enterpriseManagedAuthorization, oauthClientCredentials } from "@lethe/client/auth";
import { connect } from "@lethe/client/node";
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from "@modelcontextprotocol/client";
import { expect } from "vitest";
import type { Cell, Extension, Revision } from "./cell.ts";
import { assistant, assistantAtCompany, type IdentityProviders, job, signer } from "./identity-providers.ts";
import { usingOfficial } from "./official-client.ts";
import type { ProtectedServers } from "./protected-servers.ts";
import { optionsOf } from "./setting.ts";

const credentialsId = "io.modelcontextprotocol/oauth-client-credentials";
const enterpriseId = "io.modelcontextprotocol/enterprise-managed-authorization";

export function clientCredentialsOf(providers: IdentityProviders, servers: ProtectedServers): Extension {
  const expectedIssuer = providers.authorizationServer;
  const scope = "mcp";
  const official = (): OAuthClientProvider[] => [
    new ClientCredentialsProvider({ ...job, scope, expectedIssuer }),
    new PrivateKeyJwtProvider({ ...signer, algorithm: "ES256", scope, expectedIssuer }),
  ];
  return {
    name: "OAuth client credentials",
    id: credentialsId,
    cells: {
      server: {
        shows:
          "The official client gets a token from `oidc-provider`, once with a secret and once with a signed assertion, and the server declares the extension and names the program as its caller.",
        async run(revision) {
          const [bySecret, byKey] = official();
          expect(await whoamiOfficially(servers, revision, credentialsId, bySecret)).toEqual({
            user: "job",
            client: "job",
          });
          expect(await whoamiOfficially(servers, revision, credentialsId, byKey)).toMatchObject({ client: "signer" });
        },
      },
      client: {
        shows: "Our client does the same with both.",
        async run(revision) {
          const issuer = providers.authorizationServer;
          const { clientId, privateKey } = signer;
          const key = { key: privateKey, algorithm: "ES256" };
          for (const client of [
            { ...job, issuer },
            { clientId, privateKey: key, issuer },
          ]) {
            const extension = oauthClientCredentials({ client }, { scopes: [scope] });
            expect(await whoami(servers.server, revision, extension)).toMatchObject({ client: client.clientId });
          }
        },
      },
      ...gatewayCells(servers, credentialsId, () => official(), {
        job: { client: "job" },
        signer: { client: "signer" },
      }),
    },
  };
}

export function enterpriseManagedOf(providers: IdentityProviders, servers: ProtectedServers): Extension {
  const { authorizationServer, company } = providers;
  const officialFor = (user: "ann" | "mallory"): OAuthClientProvider =>
    new CrossAppAccessProvider({
      ...assistant,
      expectedIssuer: authorizationServer,
      async assertion({ authorizationServerUrl, resourceUrl, fetchFn }) {
        const idToken = await providers.signIn(user);
        const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
          ...{
            idpUrl: company,
            idToken,
            audience: authorizationServerUrl,
            resource: resourceUrl,
            scope: "mcp",
            fetchFn,
          },
          ...assistantAtCompany,
        });
        return jwtAuthGrant;
      },
    });
  return {
    name: "Enterprise-managed authorization",
    id: enterpriseId,
    cells: {
      server: {
        shows:
          "The official client exchanges the id token of a user for an ID-JAG at one `oidc-provider`, and that for an access token at another. The server declares the extension and names the user as its caller. A user whom the company allows nothing gets no token.",
        async run(revision) {
          expect(await whoamiOfficially(servers, revision, enterpriseId, officialFor("ann"))).toEqual({
            ...{ user: "ann", client: "assistant" },
          });
          await expect(whoamiOfficially(servers, revision, enterpriseId, officialFor("mallory"))).rejects.toThrow();
        },
      },
      client: {
        shows: "Our client does the same.",
        async run(revision) {
          const extensionFor = (user: "ann" | "mallory") =>
            enterpriseManagedAuthorization(
              {
                client: { ...assistant, issuer: authorizationServer },
                identityProvider: { issuer: company, client: assistantAtCompany },
                idToken: () => providers.signIn(user),
              },
              { scopes: ["mcp"] },
            );
          expect(await whoami(servers.server, revision, extensionFor("ann"))).toEqual({
            ...{ user: "ann", client: "assistant" },
          });
          await expect(whoami(servers.server, revision, extensionFor("mallory"))).rejects.toMatchObject({
            oauthError: "access_denied",
          });
        },
      },
      ...gatewayCells(servers, enterpriseId, () => [officialFor("ann")], {
        company: { user: "ann", client: "assistant" },
      }),
    },
  };
}

/** The gateway ends both extensions: its upstreams get no token of the caller, but one of its own by the same extension. */
function gatewayCells(
  { gateway }: ProtectedServers,
  id: string,
  official: () => readonly OAuthClientProvider[],
  own: Readonly<Record<string, object>>,
): Record<"merged gateway" | "single gateway", Cell> {
  const callAt = (url: string, name: string, revision: Revision, authProvider: OAuthClientProvider) =>
    usingOfficial(url, { revision, extensions: { [id]: {} }, authProvider }, async (client) => {
      expect(client.getServerCapabilities()?.extensions).toHaveProperty([id]);
      return client.callTool({ name });
    });
  const call = async (revision: Revision, locate: (upstream: string, tool: string) => [url: string, name: string]) => {
    for (const authProvider of official()) {
      expect(await callAt(...locate("open", "greet"), revision, authProvider)).toMatchObject({
        content: [{ text: "hello" }],
      });
      for (const [upstream, identity] of Object.entries(own)) {
        expect(await callAt(...locate(upstream, "whoami"), revision, authProvider)).toMatchObject({
          structuredContent: identity,
        });
      }
    }
  };
  return {
    "merged gateway": {
      shows:
        "The official client does the same at the gateway, which declares the extension and verifies the tokens. The gateway gets tokens of its own for protected servers by the extension.",
      run: (revision) => call(revision, (upstream, tool) => [gateway, `${upstream}__${tool}`]),
    },
    "single gateway": {
      shows: "The same at the endpoint of a server, with a token for the gateway.",
      run: (revision) => call(revision, (upstream, tool) => [`${gateway}/${upstream}`, tool]),
    },
  };
}

function whoamiOfficially(
  { server }: ProtectedServers,
  revision: Revision,
  id: string,
  authProvider: OAuthClientProvider | undefined,
): Promise<unknown> {
  return usingOfficial(
    server,
    { revision, extensions: { [id]: {} }, ...(authProvider && { authProvider }) },
    async (client) => {
      expect(client.getServerCapabilities()?.extensions).toHaveProperty([id]);
      return (await client.callTool({ name: "whoami" })).structuredContent;
    },
  );
}

async function whoami(url: string, revision: Revision, extension: ReturnType<typeof oauthClientCredentials>) {
  const client = await connect(url, { ...optionsOf(revision), extensions: [extension] });
  const { structuredContent } = await client.callTool("whoami");
  await client.close();
  return structuredContent;
}
