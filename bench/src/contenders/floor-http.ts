// The baseline over HTTP: bare node:http reads a body, parses it, and stringifies a response of a fixed shape. It validates
// nothing, so no correct server can be much faster.
import { createServer, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";
import { describeTools, greetingOf, progressToolName, toolCount } from "./tools.ts";

const serverInfo = { "io.modelcontextprotocol/serverInfo": { name: "floor", version: "1.0.0" } };
const tools = describeTools(toolCount());
const streams = new Map<ServerResponse, unknown>();

interface Call {
  id: number;
  method: string;
  params: { name: string; arguments: { name: string }; _meta: { progressToken?: string } };
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
    answer(JSON.parse(body), response);
  });
});

function answer(call: Call, response: ServerResponse): void {
  if (call.method === "subscriptions/listen") {
    listenTo(call, response);
  } else if (call.params.name === progressToolName) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const progress = { progressToken: call.params._meta.progressToken, progress: 1, total: 1 };
    response.write(toEvent({ jsonrpc: "2.0", method: "notifications/progress", params: progress }));
    response.end(toEvent({ jsonrpc: "2.0", id: call.id, result: resultOf(call) }));
  } else {
    const text = JSON.stringify({ jsonrpc: "2.0", id: call.id, result: resultOf(call) });
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  }
}

function resultOf(call: Call): object {
  if (call.method === "tools/list") {
    return { resultType: "complete", tools, ttlMs: 0, cacheScope: "private", _meta: serverInfo };
  }
  const content = [{ type: "text", text: greetingOf(call.params.arguments.name) }];
  return { resultType: "complete", content, _meta: serverInfo };
}

function listenTo(call: Call, response: ServerResponse): void {
  const meta = { "io.modelcontextprotocol/subscriptionId": call.id };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  response.write(toEvent({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params }));
  streams.set(response, meta);
  response.on("close", () => streams.delete(response));
}

function toEvent(message: object): string {
  return `data: ${JSON.stringify(message)}\n\n`;
}

process.on("SIGUSR2", () => {
  for (const [response, meta] of streams) {
    response.write(toEvent({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: meta } }));
  }
});

listen(server);
