// A stdio server of the official SDK whose one tool returns the trace context of its call.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "traced", version: "1.0.0" });
server.registerTool("trace", { description: "The trace of this call" }, ({ _meta }) => ({
  content: [{ type: "text", text: String(_meta?.traceparent) }],
}));
await server.connect(new StdioServerTransport());
