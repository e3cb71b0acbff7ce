// The servers that connects.mjs connects to: minimal, and each returns its address.
import { createServer as createHttpServer } from "node:http";
import { fileURLToPath } from "node:url";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";

/** Each resolves with its address and a function that ends it. */
export const peers = {
  async modern() {
    const server = createServer({ name: "modern", version: "1.0.0" }).tool("hello", { handler: () => "hello" });
    const { url, close } = await serve(server, { port: 0 });
    return { target: url, close: () => close({ graceMs: 0 }) };
  },
  sessions: () => startLegacy(answerInSession),
  sse: () => startLegacy(answerOnStream()),
  async refused() {
    const { target, close } = await startLegacy(() => {});
    await close();
    return { target, close: async () => {} };
  },
  async stdio() {
    const script = fileURLToPath(new URL("stdio-peer.mjs", import.meta.url));
    return { target: { command: process.execPath, args: [script] }, close: async () => {} };
  },
};

async function startLegacy(answer) {
  const http = createHttpServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    answer(request, response, text === "" ? undefined : JSON.parse(text));
  });
  await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    target: `http://127.0.0.1:${http.address().port}/mcp`,
    close() {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(resolve));
    },
  };
}

function answerInSession({ method }, response, message) {
  if (method === "GET") openStream(response);
  else if (message?.id === undefined) response.writeHead(202).end();
  else {
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "one" });
    response.end(JSON.stringify(toAnswer(message)));
  }
}

/** HTTP+SSE of 2024-11-05: the server answers each POST on the stream that named the endpoint. */
function answerOnStream() {
  const streams = new Map();
  let last = 0;
  return ({ method, url }, response, message) => {
    if (method === "GET") {
      const id = String(++last);
      streams.set(id, openStream(response));
      response.on("close", () => streams.delete(id));
      response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
      return;
    }
    const stream = streams.get(new URL(url, "http://localhost").searchParams.get("session"));
    response.writeHead(stream ? 202 : 405).end();
    if (message.id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(toAnswer(message))}\n\n`);
  };
}

function openStream(response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  return response;
}

function toAnswer({ id, method }) {
  if (method === "tools/call") return { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "hello" }] } };
  if (method !== "initialize") return { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } };
  const serverInfo = { name: "legacy", version: "1.0.0" };
  const result = { protocolVersion: "2024-11-05", capabilities: { tools: { listChanged: true } }, serverInfo };
  return { jsonrpc: "2.0", id, result };
}
