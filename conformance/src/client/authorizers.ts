// The authorizers of the authorization scenarios.
import {
  type Authorizer,
  authorizationCode,
  clientCredentials,
  enterpriseManaged,
  type Grant,
  workloadIdentity,
} from "@lethe/client/auth";
import { createAuthorizer } from "@lethe/client/node";
import { type Task, textOf } from "./task.ts";

export function authorizerFor(task: Task): Authorizer {
  return createAuthorizer(task.url, { grant: grantFor(task) });
}

function grantFor(task: Task): Grant {
  const text = (member: string) => textOf(task, member);
  switch (task.scenario) {
    case "auth/client-credentials-jwt": {
      const privateKey = { key: text("private_key_pem"), algorithm: text("signing_algorithm") };
      return clientCredentials({ client: { clientId: text("client_id"), privateKey } });
    }
    case "auth/client-credentials-basic":
      return clientCredentials({ client: givenClient(task) });
    case "auth/enterprise-managed-authorization":
      return enterpriseManaged({
        client: givenClient(task),
        identityProvider: {
          issuer: text("idp_issuer"),
          tokenEndpoint: text("idp_token_endpoint"),
          client: { clientId: text("idp_client_id") },
        },
        idToken: () => text("idp_id_token"),
      });
    case "auth/wif-jwt-bearer":
      return workloadIdentity({ client: { clientId: text("client_id") }, assertion: () => text("valid_jwt") });
    default:
      return authorizationCode({
        redirectUrl: "http://localhost:3000/callback",
        redirect: followRedirect,
        clientName: "conformance client",
        clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
        ...(task.scenario === "auth/pre-registration" ? { client: givenClient(task) } : {}),
      });
  }
}

function givenClient(task: Task): { clientId: string; clientSecret: string } {
  return { clientId: textOf(task, "client_id"), clientSecret: textOf(task, "client_secret") };
}

/** The suite's user consents immediately: the redirect of the response is the address that a browser would open next. */
async function followRedirect(url: URL): Promise<URL> {
  const { headers } = await fetch(url, { redirect: "manual" });
  const location = headers.get("location");
  if (location === null) throw new Error("the authorization endpoint does not redirect");
  return new URL(location, url);
}
