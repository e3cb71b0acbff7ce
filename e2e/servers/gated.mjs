// A server of 2026-07-28 over HTTP that offers more to clients with extensions: a tool for MCP Apps hosts, and the method of a
// vendor extension. Prints its URL. With the argument "legacy", a server of 2025-11-25 over stdio that does the same.
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const ui = "io.modelcontextprotocol/ui";
const page = "ui://gated/dashboard.html";
const extensions = {
  [ui]: { mimeTypes: ["text/html;profile=mcp-app"] },
  "io.modelcontextprotocol/skills": {},
  "com.example/custom": { x: 1 },
};
const capabilities = { tools: {}, resources: {}, extensions };
const caps = { name: "caps", inputSchema: { type: "object" } };
const dashboard = { name: "dashboard", inputSchema: { type: "object" }, _meta: { ui: { resourceUri: page } } };
const html = {
  uri: page,
  mimeType: "text/html;profile=mcp-app",
  text: "<h1>gated</h1>",
  _meta: { ui: { csp: { connectDomains: ["https://api.example.com"] }, permissions: { camera: {} } } },
};

/** The notifications of clients. */
const heard = [];

function answer(method, params, declared) {
  const isApps = declared.extensions?.[ui] !== undefined;
  switch (method) {
    case "tools/list":
      return { tools: isApps ? [caps, dashboard] : [caps] };
    case "tools/call":
      return {
        content: [{ type: "text", text: JSON.stringify(declared) }],
        _meta: { "com.example/seen": params.name, "com.example/got": Object.keys(params._meta ?? {}) },
      };
    case "resources/list":
      return { resources: [{ uri: page, name: "dashboard" }] };
    case "resources/templates/list":
      return { resourceTemplates: [] };
    case "resources/read":
      return { contents: [html] };
    case "com.example/custom.heard":
      return { heard };
    case "com.example/custom.do":
      return { did: params.what, declared };
    default:
      return undefined;
  }
}

const refusal = { code: -32601, message: "method not found" };

function serveModern() {
  const serverInfo = { name: "gated", version: "1" };
  const hints = { resultType: "complete", ttlMs: 0, cacheScope: "private", _meta: {} };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    const declared = params?._meta?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
    if (id === undefined) {
      heard.push({ method, params });
      response.writeHead(202).end();
      return;
    }
    const result =
      method === "server/discover"
        ? {
            supportedVersions: ["2026-07-28"],
            capabilities,
            _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
          }
        : answer(method, params, declared);
    if (!result) {
      response.writeHead(404, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, error: refusal }));
      return;
    }
    const message = JSON.stringify({ jsonrpc: "2.0", id, result: { ...hints, ...result } });
    if (!method.startsWith("com.example/")) {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(message);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const notification = { jsonrpc: "2.0", method: "notifications/com.example/custom", params: { half: true } };
    response.end(`data: ${JSON.stringify(notification)}\n\ndata: ${message}\n\n`);
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}

function serveLegacy() {
  let declared = {};
  console.error("started");
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit());
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined && method !== "notifications/initialized") heard.push({ method, params });
    if (id === undefined) return;
    if (method === "initialize") declared = params.capabilities;
    const result =
      method === "initialize"
        ? { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "gated", version: "1" } }
        : method === "ping"
          ? {}
          : answer(method, params ?? {}, declared);
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: refusal }) }));
  });
}

if (process.argv[2] === "legacy") serveLegacy();
else serveModern();
