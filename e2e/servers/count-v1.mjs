// A counter made with the official SDK v1, on stdio: each call of `count` adds one and names the process. `read` and `change` take
// four seconds, and only `read` may run twice. It writes one line to stderr for each call that begins.
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

let count = 0;
const server = new McpServer({ name: "count", version: "1.0.0" });
server.registerTool("count", { description: "counts its calls" }, () => {
  count += 1;
  console.error(`counted ${count}`);
  return { content: [{ type: "text", text: `${process.pid} ${count}` }] };
});
for (const name of ["read", "change"]) {
  const annotations = { readOnlyHint: name === "read" };
  server.registerTool(name, { description: "takes four seconds", annotations }, async () => {
    console.error(`began ${name} in ${process.pid}`);
    await sleep(4_000);
    return { content: [{ type: "text", text: `did ${name}` }] };
  });
}
await server.connect(new StdioServerTransport());
