// The client of the official SDK at one endpoint, in either revision.
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Revision } from "./cell.ts";

export interface OfficialOptions {
  readonly revision: Revision;
  /** The ids and settings of the extensions that it declares. Default: none. */
  readonly extensions?: { [id: string]: { [setting: string]: string[] } };
  readonly authProvider?: OAuthClientProvider;
}

export const clientInfo = { name: "official", version: "1.0.0" };

export async function usingOfficial<T>(
  url: string,
  { revision, extensions = {}, authProvider }: OfficialOptions,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
  const client = new Client(clientInfo, { versionNegotiation: { mode }, capabilities: { extensions } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { ...(authProvider && { authProvider }) }));
  return use(client).finally(() => client.close());
}
