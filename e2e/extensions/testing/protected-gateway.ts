// A gateway that accepts the tokens of an authorization server, and gets tokens of its own for a protected server: with a secret, with the key
// of a file, and in exchange for the id token of a file.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig, serveGateway } from "lethe/gateway";
import { findFreePort } from "../../../packages/redis/src/testing/free-port.ts";
import { assistant, assistantAtCompany, type IdentityProviders, job, signer } from "./identity-providers.ts";

export interface ProtectedGateway {
  /** The URL of the merged endpoint. Its upstreams are "open", and "job", "signer" and "company" for the protected server. */
  readonly url: string;
  close(): Promise<void>;
}

export interface Targets {
  /** The URL of a server without authentication. */
  readonly open: string;
  /** The URL of the protected server. */
  readonly server: string;
}

export async function startProtectedGateway(providers: IdentityProviders, targets: Targets): Promise<ProtectedGateway> {
  const folder = mkdtempSync(join(tmpdir(), "lethe-extensions-"));
  writeFileSync(join(folder, "signer.pem"), signer.privateKey);
  writeFileSync(join(folder, "id-token"), await providers.signIn("ann"));
  const port = await findFreePort();
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify(toDocument(providers, targets, port)));
  const environment = { JOB_SECRET: job.clientSecret };
  const gateway = await serveGateway({ load: () => readConfig([file], { environment }), watches: false });
  await gateway.settled;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function toDocument(
  { authorizationServer, company }: IdentityProviders,
  { open, server }: Targets,
  port: number,
): object {
  const issuer = authorizationServer;
  const jwt = {
    ...{ issuer, jwksUrl: `${issuer}/jwks`, authorizationServers: [issuer], requiredScopes: ["mcp"] },
    extensions: ["oauth-client-credentials", "enterprise-managed-authorization"],
  };
  const scopes = ["mcp"];
  const bySecret = { clientId: job.clientId, clientSecret: "${JOB_SECRET}", issuer, scopes };
  const byKey = { clientId: signer.clientId, privateKey: { file: "signer.pem" }, issuer, scopes };
  const byIdToken = {
    ...{ ...assistant, issuer, scopes, idTokenFile: "id-token" },
    identityProvider: { ...assistantAtCompany, issuer: company },
  };
  return {
    mcpServers: { open: { url: open }, job: { url: server }, signer: { url: server }, company: { url: server } },
    gateway: {
      ...{ port, publicUrl: `http://127.0.0.1:${port}/mcp`, auth: { jwt }, shutdown: { graceMs: 0 } },
      upstreams: {
        job: { credentials: { clientCredentials: bySecret } },
        signer: { credentials: { clientCredentials: byKey } },
        company: { credentials: { enterpriseManaged: byIdToken } },
      },
    },
  };
}
