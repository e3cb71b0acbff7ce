// node http-counter.mjs LOGFILE PORT: the counter over Streamable HTTP with enforced sessions, one counter for each session.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createCounter } from "./counter.mjs";

const [, , logFile, port] = process.argv;
const transports = new Map();

const server = createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  const known = transports.get(id);
  if (known) return known.handleRequest(request, response);
  if (id !== undefined) return response.writeHead(404).end();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void transports.set(session, transport),
    onsessionclosed: (session) => void transports.delete(session),
  });
  await createCounter(logFile).connect(transport);
  await transport.handleRequest(request, response);
});
server.listen(Number(port), "127.0.0.1", () => console.log("listening"));
