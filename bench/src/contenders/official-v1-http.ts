// Contender: the official SDK v1 over stateless Streamable HTTP with Express, like its example but without logging.

import { createServer as createHttpServer } from "node:http";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { listen } from "./listen.ts";
import { createServer } from "./official-v1.ts";

const app = createMcpExpressApp();

app.post("/mcp", async (request, response) => {
  const server = createServer();
  // No sessionIdGenerator: stateless. The SDK's own classes disagree under exactOptionalPropertyTypes, hence the cast.
  const transport = new StreamableHTTPServerTransport({});
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response, request.body);
  response.on("close", () => {
    void transport.close();
    void server.close();
  });
});

listen(createHttpServer(app));
