// The authorization server of MCP servers, and the identity provider of a company that it trusts: two programs with the package oidc-provider.
import { generateKeyPairSync, type JsonWebKey } from "node:crypto";
import { type RunningServer, startServer } from "../../processes/server.ts";

export interface IdentityProviders {
  /** The issuer of access tokens. It knows the clients below. */
  readonly authorizationServer: string;
  /** The issuer of id tokens and ID-JAGs. */
  readonly company: string;
  /** Returns the id token of a user who signs in to the assistant. The company allows "ann" everything, and "mallory" nothing. */
  signIn(user: "ann" | "mallory"): Promise<string>;
  close(): Promise<void>;
}

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** A program with a secret. */
export const job = { clientId: "job", clientSecret: "the-secret-of-the-job" };
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
/** A program with a key of its own. */
export const signer = {
  clientId: "signer",
  privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
};
/** A program with users, at the authorization server and at the company. */
export const assistant = { clientId: "assistant", clientSecret: "the-secret-at-the-authorization-server" };
export const assistantAtCompany = { clientId: "assistant", clientSecret: "the-secret-at-the-company" };

const withSecret = ({ clientId, clientSecret }: typeof job, grant: string) => ({
  ...{ client_id: clientId, client_secret: clientSecret, grant_types: [grant] },
});

export async function startIdentityProviders(): Promise<IdentityProviders> {
  const company = await start({ clients: [withSecret(assistantAtCompany, tokenExchange)] });
  const jwk: JsonWebKey = publicKey.export({ format: "jwk" });
  const authorizationServer = await start({
    trusts: company.url,
    clients: [
      withSecret(job, "client_credentials"),
      withSecret(assistant, jwtBearer),
      {
        ...{ client_id: signer.clientId, grant_types: ["client_credentials"], jwks: { keys: [jwk] } },
        ...{ token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_signing_alg: "ES256" },
      },
    ],
  });
  return {
    authorizationServer: authorizationServer.url,
    company: company.url,
    async signIn(user) {
      const response = await fetch(`${company.url}/sign-in?user=${user}&client_id=${assistantAtCompany.clientId}`);
      return response.text();
    },
    async close() {
      await Promise.all([company.stop(), authorizationServer.stop()]);
    },
  };
}

const start = (plan: object): Promise<RunningServer> =>
  startServer("e2e/servers/identity-provider.mjs", { args: [JSON.stringify(plan)] });
