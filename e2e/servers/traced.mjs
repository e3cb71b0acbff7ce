// A stdio server of the official SDK whose tools return the trace context of their call. One of them asks the user first.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "traced", version: "1.0.0" });
const say = ({ _meta }) => ({ content: [{ type: "text", text: String(_meta?.traceparent) }] });
server.registerTool("trace", { description: "The trace of this call" }, say);
server.registerTool("fail", { description: "Fails" }, () => ({ ...say({}), isError: true }));
server.registerTool("ask", { description: "The trace of this call, after an elicitation" }, async (extra) => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  await server.server.elicitInput({ message: "Who?", requestedSchema });
  return say(extra);
});
await server.connect(new StdioServerTransport());
