// Contender: the client of the official SDK v1, used as documented.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Caller, type Target, textOf } from "./caller.ts";

export async function connect(target: Target): Promise<Caller> {
  const client = new Client({ name: "official-v1", version: "1.0.0" });
  const [command = "", ...args] = typeof target === "string" ? [] : target;
  await client.connect(
    typeof target === "string"
      ? (new StreamableHTTPClientTransport(new URL(target)) as Transport)
      : new StdioClientTransport({ command, args }),
  );
  return {
    call: async (name) => textOf(await client.callTool({ name: "greet", arguments: { name } })),
    close: () => client.close(),
  };
}
