// A caller's kept-alive connection to a gateway, which sends one request after the other.
import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import { toKey } from "./worker-gateway.ts";

export interface KeptConnection {
  /** Calls a tool as this caller. Rejects when the connection fails, and for any answer but a result. */
  call(caller: string, tool: string, given?: object): Promise<ToolAnswer>;
  /** How many sockets were opened. */
  readonly opened: number;
  close(): void;
}

export interface ToolAnswer {
  readonly structuredContent?: unknown;
  readonly content: readonly { readonly text?: string }[];
}

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function openKeptConnection(url: string): KeptConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<Socket>();
  let id = 0;
  const call = async (caller: string, name: string, given: object = {}): Promise<ToolAnswer> => {
    id += 1;
    const params = { name, arguments: given, _meta: envelope };
    const text = await post(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }), {
      authorization: `Bearer ${toKey(caller)}`,
      "mcp-name": name,
    });
    const { result } = JSON.parse(text) as { result?: ToolAnswer & { isError?: boolean } };
    if (!result || result.isError) throw new Error(`a result expected, got ${text}`);
    return result;
  };
  const post = (body: string, headers: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const all = {
        ...headers,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
      };
      const sent = request(url, { method: "POST", agent, headers: all }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          text += part;
        });
        response.on("error", reject);
        response.on("end", () => resolve(text));
      });
      sent.on("socket", (socket) => sockets.add(socket));
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    call,
    get opened() {
      return sockets.size;
    },
    close: () => agent.destroy(),
  };
}
