// Gets into servers that want to know who calls: a user who logs in with a browser, or a program with a secret.
import { homedir } from "node:os";
import { join } from "node:path";
import { type Authorizer, type AuthStore, authorizationCode, clientCredentials, createAuthorizer } from "@lethe/client";
import { connect, createFileAuthStore, createLoopbackRedirect } from "@lethe/client/node";

/** Registrations and tokens, readable by this user alone, and refreshed by one process at a time. */
const userStore = createFileAuthStore(join(homedir(), ".my-program", "auth"));

export function asUser(url: string, store: AuthStore = userStore, open?: (page: URL) => unknown): Authorizer {
  // Prints the page, opens a browser, and listens on this machine for the way back.
  const redirect = createLoopbackRedirect(open ? { open } : {});
  return createAuthorizer(url, { grant: authorizationCode({ ...redirect, clientName: "My program" }), store });
}

export function asProgram(url: string, clientId: string, clientSecret: string): Authorizer {
  return createAuthorizer(url, { grant: clientCredentials({ client: { clientId, clientSecret } }) });
}

/** A token that is known already needs no authorizer: `headers: { authorization: "Bearer …" }`. */
export async function listTools(url: string, authorizer: Authorizer): Promise<string[]> {
  await using client = await connect(url, { authorizer });
  const tools = await client.listTools();
  return tools.map(({ name }) => name);
}
