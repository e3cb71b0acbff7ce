// A server made from the official SDK v2 on stdin and stdout, of both eras, whose tools push their requests like older
// releases: on a connection of 2026-07-28 the SDK refuses that. `--modern` serves only that revision; with `--starts FILE`
// each process adds a line to FILE.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const file = process.argv[process.argv.indexOf("--starts") + 1];
if (process.argv.includes("--starts")) appendFileSync(file, `${process.pid}\n`);

const none = z.object({});
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };

function createServer() {
  const server = new McpServer({ name: "pushing", version: "1.0.0" }, { capabilities: { logging: {} } });
  let runs = 0;
  const ask = async (_args, { mcpReq }) => {
    runs += 1;
    const { action, content } = await mcpReq.elicitInput({ message: "Who?", requestedSchema });
    return { content: [{ type: "text", text: `${action} ${content?.name} in run ${runs}` }] };
  };
  server.registerTool("ask", { inputSchema: none }, ask);
  server.registerTool("look", { inputSchema: none, annotations: { readOnlyHint: true } }, ask);
  server.registerTool("pid", { inputSchema: none }, () => ({ content: [{ type: "text", text: String(process.pid) }] }));
  return server;
}

serveStdio(createServer, process.argv.includes("--modern") ? { legacy: "reject" } : {});
