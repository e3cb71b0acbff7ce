// A server and a gateway that accept the tokens of an authorization server.
import { createServer } from "@lethe/server";
import { createAuthenticator } from "@lethe/server/auth";
import { enterpriseManagedAuthorization, oauthClientCredentials } from "@lethe/server/extensions";
import { serve } from "@lethe/server/node";
import { findFreePort } from "../../../packages/redis/src/testing/free-port.ts";
import type { IdentityProviders } from "./identity-providers.ts";
import { startProtectedGateway } from "./protected-gateway.ts";

export interface ProtectedServers {
  /** The URL of the server. Its tool "whoami" returns the subject and the client of the token. */
  readonly server: string;
  /** The URL of the merged endpoint. `startProtectedGateway` names its upstreams. */
  readonly gateway: string;
  /** Why tokens were refused. */
  readonly refusals: string[];
  close(): Promise<void>;
}

export async function startProtectedServers(providers: IdentityProviders): Promise<ProtectedServers> {
  const issuer = providers.authorizationServer;
  const refusals: string[] = [];
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const auth = createAuthenticator({
    resource: url,
    authorizationServers: [issuer],
    requiredScopes: ["mcp"],
    jwt: { issuer, jwksUrl: `${issuer}/jwks`, type: "at+jwt" },
    onRefused: (reason) => void refusals.push(String(reason)),
  });
  const server = createServer({ name: "protected", version: "1.0.0" }, { auth });
  server.use(oauthClientCredentials()).use(enterpriseManagedAuthorization());
  server.tool("whoami", {
    handler: (_, { caller }) => ({ user: caller?.claims?.sub, client: caller?.claims?.client_id }),
  });
  const serving = await serve(server, { port });
  const open = createServer({ name: "open", version: "1.0.0" });
  open.tool("greet", { handler: () => "hello" });
  const upstream = await serve(open, { port: 0 });
  const gateway = await startProtectedGateway(providers, { open: upstream.url, server: url });
  return {
    server: url,
    gateway: gateway.url,
    refusals,
    async close() {
      await gateway.close();
      await Promise.all([serving.close({ graceMs: 0 }), upstream.close({ graceMs: 0 })]);
    },
  };
}
