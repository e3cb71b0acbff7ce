// Contender: the client of the official SDK v2 at revision 2026-07-28, used as documented.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Caller, type Target, textOf } from "./caller.ts";

export async function connect(target: Target): Promise<Caller> {
  const client = new Client(
    { name: "official-v2", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const [command = "", ...args] = typeof target === "string" ? [] : target;
  await client.connect(
    typeof target === "string"
      ? new StreamableHTTPClientTransport(new URL(target))
      : new StdioClientTransport({ command, args }),
  );
  return {
    call: async (name) => textOf(await client.callTool({ name: "greet", arguments: { name } })),
    close: () => client.close(),
  };
}
