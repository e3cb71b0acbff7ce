// The tools of the official SDK v1, one server per request as its stateless example does.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod/v4";
import {
  askingToolName,
  description,
  greetInput,
  greetingOf,
  offersAsking,
  offersProgress,
  progressToolName,
  question,
  toolCount,
  toolNames,
} from "./tools.ts";

const names = toolNames(toolCount());

export function createServer(): McpServer {
  const server = new McpServer({ name: "official-v1", version: "1.0.0" });
  for (const name of names) {
    server.registerTool(name, { description, inputSchema: { name: z.string() } }, ({ name }) => ({
      content: [{ type: "text", text: greetingOf(name) }],
    }));
  }
  if (offersAsking()) {
    server.registerTool(askingToolName, { description }, async () => {
      const { content } = await server.server.elicitInput({ message: question, requestedSchema: greetInput() });
      return { content: [{ type: "text", text: greetingOf(String(content?.name)) }] };
    });
  }
  if (offersProgress()) {
    server.registerTool(
      progressToolName,
      { description, inputSchema: { name: z.string() } },
      async ({ name }, extra) => {
        const progressToken = extra._meta?.progressToken;
        if (progressToken !== undefined) {
          const params = { progressToken, progress: 1, total: 1 };
          await extra.sendNotification({ method: "notifications/progress", params });
        }
        return { content: [{ type: "text", text: greetingOf(name) }] };
      },
    );
  }
  return server;
}
