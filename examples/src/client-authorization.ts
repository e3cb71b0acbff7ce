// Authorizes a client: a user logs in with a browser, or a program uses a secret.
import { homedir } from "node:os";
import { join } from "node:path";
import {
  type Authorizer,
  type AuthStore,
  authorizationCode,
  clientCredentials,
  type GivenClient,
} from "@lethe/client/auth";
import { connect, createAuthorizer, createFileAuthStore, createLoopbackRedirect } from "@lethe/client/node";

/** Registrations and tokens. Only this user can read them, and one process at a time refreshes them. */
const userStore = createFileAuthStore(join(homedir(), ".my-program", "auth"));

export function asUser(url: string, store: AuthStore = userStore, open?: (page: URL) => unknown): Authorizer {
  // Prints the URL of the login page, opens a browser, and listens on this machine for the redirect.
  const redirect = createLoopbackRedirect(open ? { open } : {});
  return createAuthorizer(url, { grant: authorizationCode({ ...redirect, clientName: "My program" }), store });
}

/** Set `client.issuer`, so that no other authorization server gets the secret, even if the MCP server names one. */
export function asProgram(url: string, client: GivenClient): Authorizer {
  return createAuthorizer(url, { grant: clientCredentials({ client }) });
}

/** An existing token needs no authorizer: `headers: { authorization: "Bearer …" }`. */
export async function listTools(url: string, authorizer: Authorizer): Promise<string[]> {
  await using client = await connect(url, { authorizer });
  const tools = await client.listTools();
  return tools.map(({ name }) => name);
}
