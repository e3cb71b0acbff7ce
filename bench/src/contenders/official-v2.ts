// The tools of the official SDK v2 as documented: a factory that the entry point calls for each request.
import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import {
  askingToolName,
  description,
  greetingOf,
  offersAsking,
  offersProgress,
  progressToolName,
  question,
  toolCount,
  toolNames,
} from "./tools.ts";

const names = toolNames(toolCount());
const info = { name: "official-v2", version: "1.0.0" };
const capabilities = { tools: { listChanged: true } };

export const maxSubscriptions = 10_000;

function createGreetInput() {
  return z.object({ name: z.string() });
}

/** As documented: the factory creates the schema where it registers the tool. */
export function createServer(): McpServer {
  return fill(createGreetInput);
}

const hoisted = createGreetInput();

/** Faster than documented: the schema exists once per process. */
export function createServerHoisted(): McpServer {
  return fill(() => hoisted);
}

function fill(inputSchema: typeof createGreetInput): McpServer {
  const server = new McpServer(info, { capabilities });
  for (const name of names) {
    server.registerTool(name, { description, inputSchema: inputSchema() }, ({ name }) => ({
      content: [{ type: "text", text: greetingOf(name) }],
    }));
  }
  if (offersProgress()) {
    server.registerTool(progressToolName, { description, inputSchema: inputSchema() }, async ({ name }, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      if (progressToken !== undefined) {
        await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 1 } });
      }
      return { content: [{ type: "text", text: greetingOf(name) }] };
    });
  }
  if (offersAsking()) {
    server.registerTool(askingToolName, { description }, (ctx) => {
      const given = acceptedContent(ctx.mcpReq.inputResponses, "name", inputSchema());
      if (given) return { content: [{ type: "text", text: greetingOf(given.name) }] };
      const ask = inputRequired.elicit({ message: question, requestedSchema: inputSchema() });
      return inputRequired({ inputRequests: { name: ask } });
    });
  }
  return server;
}
