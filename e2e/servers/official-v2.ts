// Servers made from the official SDK v2.
import { localhostHostValidation, type NodeIncomingMessageLike, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { type Fixture, listen } from "./fixture.ts";

/** "stateless" serves both eras, "reject" only the modern one. */
export function startV2(legacy: "stateless" | "reject"): Promise<Fixture> {
  const handle = toNodeHandler(createMcpHandler(createServer, { legacy }));
  const isHostValid = localhostHostValidation();
  return listen((request, response) => {
    if (isHostValid(request, response)) return handle(request as NodeIncomingMessageLike, response);
  });
}

function createServer(): McpServer {
  const server = new McpServer({ name: "official-v2", version: "1.0.0" });
  server.registerTool("echo", { description: "echoes", inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
}
