// Servers made from the official SDK v1, in every shape that its examples show.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod/v4";
import { type Fixture, listen, readJson } from "./fixture.ts";

export interface V1Options {
  isJson?: boolean;
}

/** A session for each client, in a table, as in the example "simpleStreamableHttp". */
export function startStatefulV1({ isJson = false }: V1Options = {}): Promise<Fixture> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return listen(
    async (request, response) => {
      const body = request.method === "POST" ? await readJson(request) : undefined;
      const id = request.headers["mcp-session-id"];
      let transport = typeof id === "string" ? transports.get(id) : undefined;
      if (!transport && id === undefined && (body as { method?: string } | undefined)?.method === "initialize") {
        const created = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          enableJsonResponse: isJson,
          onsessioninitialized: (sessionId) => void transports.set(sessionId, created),
          onsessionclosed: (sessionId) => void transports.delete(sessionId),
        });
        await createServer().connect(created as Transport);
        transport = created;
      }
      if (transport) return transport.handleRequest(request, response, body);
      refuse(response, 400, "Bad Request: No valid session ID provided");
    },
    { sessions: () => transports.size },
  );
}

/** A server and a transport for each request, as in the example "simpleStatelessStreamableHttp". */
export function startStatelessV1({ isJson = false }: V1Options = {}): Promise<Fixture> {
  return listen(async (request, response) => {
    if (request.method !== "POST") return refuse(response, 405, "Method not allowed.");
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: isJson });
    await createServer().connect(transport as Transport);
    await transport.handleRequest(request, response, await readJson(request));
  });
}

/** One transport for all clients, which accepts one session in its lifetime: the most common mistake. */
export async function startSingleV1(): Promise<Fixture> {
  const sessions = new Set<string>();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (sessionId) => void sessions.add(sessionId),
    onsessionclosed: (sessionId) => void sessions.delete(sessionId),
  });
  await createServer().connect(transport as Transport);
  return listen((request, response) => transport.handleRequest(request, response), { sessions: () => sessions.size });
}

function createServer(): McpServer {
  const server = new McpServer({ name: "official-v1", version: "1.0.0" });
  server.registerTool("echo", { description: "echoes", inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  server.registerTool("wait", { description: "never answers" }, () => new Promise(() => {}));
  return server;
}

function refuse(response: ServerResponse<IncomingMessage>, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }));
}
