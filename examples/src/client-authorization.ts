// Gets into servers that want to know who calls: a user who logs in with a browser, or a program with a secret.
import { homedir } from "node:os";
import { join } from "node:path";
import { type Authorizer, type AuthStore, authorizationCode, clientCredentials, type GivenClient } from "@lethe/client";
import { connect, createAuthorizer, createFileAuthStore, createLoopbackRedirect } from "@lethe/client/node";

/** Registrations and tokens, readable by this user alone, and refreshed by one process at a time. */
const userStore = createFileAuthStore(join(homedir(), ".my-program", "auth"));

export function asUser(url: string, store: AuthStore = userStore, open?: (page: URL) => unknown): Authorizer {
  // Prints the page, opens a browser, and listens on this machine for the way back.
  const redirect = createLoopbackRedirect(open ? { open } : {});
  return createAuthorizer(url, { grant: authorizationCode({ ...redirect, clientName: "My program" }), store });
}

/** Give `client` its `issuer`: no other authorization server gets the secret then, even if the server names one. */
export function asProgram(url: string, client: GivenClient): Authorizer {
  return createAuthorizer(url, { grant: clientCredentials({ client }) });
}

/** A token that is known already needs no authorizer: `headers: { authorization: "Bearer …" }`. */
export async function listTools(url: string, authorizer: Authorizer): Promise<string[]> {
  await using client = await connect(url, { authorizer });
  const tools = await client.listTools();
  return tools.map(({ name }) => name);
}
