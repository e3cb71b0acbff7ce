// node bare-sessions.mjs PORT: a server of revision 2025-11-25 that gives session ids and keeps nothing for them. GET /stats counts
// its traffic.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const counts = { requests: 0, initialized: 0, calls: 0, others: 0, deleted: 0 };
const sockets = new Set();
let closedBytes = 0;
const bytesOf = ({ bytesRead, bytesWritten }) => bytesRead + bytesWritten;

const echo = { name: "echo", inputSchema: { type: "object", properties: { text: { type: "string" } } } };
const results = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "bare", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [echo] }),
  "tools/call": ({ arguments: args }) => ({ content: [{ type: "text", text: args?.text ?? "" }] }),
  ping: () => ({}),
};

const server = createServer((request, response) => {
  if (request.url === "/stats") {
    const bytes = [...sockets].reduce((sum, socket) => sum + bytesOf(socket), closedBytes);
    return response.end(JSON.stringify({ ...counts, bytes, sockets: sockets.size }));
  }
  counts.requests += 1;
  if (request.method === "GET") return response.writeHead(405).end();
  if (request.method === "DELETE") {
    counts.deleted += 1;
    return response.writeHead(200).end();
  }
  let body = "";
  request.setEncoding("utf8").on("data", (part) => {
    body += part;
  });
  request.on("end", () => answer(JSON.parse(body), request, response));
});

function answer({ id, method, params }, request, response) {
  if (id === undefined) return response.writeHead(202).end();
  if (method === "initialize") counts.initialized += 1;
  else if (method === "tools/call") counts.calls += 1;
  else counts.others += 1;
  const session = method === "initialize" ? randomUUID() : request.headers["mcp-session-id"];
  if (session === undefined) return response.writeHead(400).end();
  const result = results[method];
  const outcome = result
    ? { result: result(params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": session });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}

server.on("connection", (socket) => {
  sockets.add(socket);
  socket.once("close", () => {
    sockets.delete(socket);
    closedBytes += bytesOf(socket);
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");
