// Authorization of client commands: a token from the environment, or a login in the browser.
import type { ConnectOptions } from "@lethe/client";
import { type Authorizer, authorizationCode } from "@lethe/client/auth";
import { createAuthorizer, createFileAuthStore, createLoopbackRedirect, openBrowser } from "@lethe/client/node";
import { CommandError } from "../exit-code.ts";
import { stateFolder } from "../state-folder.ts";
import { toPrintable } from "../terminal/printable.ts";
import { createStyle } from "../terminal/style.ts";

export interface LoginOptions {
  header?: Record<string, string>;
  login?: boolean;
  clientId?: string;
  redirectPort?: number;
}

/** Reads secrets from the environment, because every process of the machine can read command lines. */
export function toAuthorization(url: string, options: LoginOptions, environment: NodeJS.ProcessEnv): ConnectOptions {
  const { header: headers = {}, login, clientId, redirectPort } = options;
  if (!login && clientId !== undefined) throw new CommandError("--client-id needs --login");
  if (!login && redirectPort !== undefined) throw new CommandError("--redirect-port needs --login");
  if (login) return { headers, authorizer: createLogin(url, options, environment) };
  const token = environment.LETHE_TOKEN;
  return { headers: token ? { ...headers, authorization: `Bearer ${token}` } : headers };
}

function createLogin(url: string, options: LoginOptions, environment: NodeJS.ProcessEnv): Authorizer {
  const { clientId, redirectPort } = options;
  const clientSecret = environment.LETHE_CLIENT_SECRET;
  const client = clientId === undefined ? undefined : { clientId, ...(clientSecret && { clientSecret }) };
  const redirect = createLoopbackRedirect({
    open: showPage,
    ...(redirectPort !== undefined && { port: redirectPort }),
  });
  const grant = authorizationCode({ ...redirect, clientName: "Lethe", client });
  const store = createFileAuthStore(stateFolder(environment, "auth"));
  // Each client has its own store of tokens.
  return createAuthorizer(url, { grant, store, account: clientId, onWarning: showWarning });
}

/** Makes a warning printable, because it quotes the server. */
function showWarning(message: string): void {
  process.stderr.write(`${createStyle(process.stderr).yellow("!")} ${toPrintable(message)}\n`);
}

async function showPage(page: URL): Promise<void> {
  process.stderr.write(`Log in on this page: ${page.href}\n`);
  await openBrowser(page);
}
