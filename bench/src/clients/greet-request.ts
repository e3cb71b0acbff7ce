// The hand-written request of the clients without protocol support, with all required headers and metadata.
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bare", version: "1.0.0" },
};

export const greetHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "greet",
};

export function toGreetRequest(id: number, name: string): string {
  const params = { name: "greet", arguments: { name }, _meta: meta };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}
