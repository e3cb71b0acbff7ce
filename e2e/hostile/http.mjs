// node http.mjs KIND: a hostile upstream over Streamable HTTP of 2025-06-18, without sessions. Prints where it listens.
import { once } from "node:events";
import { createServer } from "node:http";
import { receive } from "./behaviours.mjs";

const kind = process.argv[2];

/** Answers one POST, or feeds one GET stream. */
function createPeer(response) {
  const gone = new AbortController();
  response.setMaxListeners(0).once("close", () => gone.abort());
  const peer = {
    get isClosed() {
      return response.destroyed || response.writableEnded;
    },
    frame: (text) => `data: ${text}\n\n`,
    openStream(type = "text/event-stream") {
      if (!response.headersSent) response.writeHead(200, { "content-type": type });
    },
    async raw(text) {
      peer.openStream();
      if (peer.isClosed || response.write(text)) return;
      await once(response, "drain", { signal: gone.signal }).catch(() => {});
    },
    send: (text) => peer.raw(peer.frame(text)),
    async answer(text) {
      if (response.headersSent) {
        await peer.send(text);
        response.end();
        return;
      }
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    },
    reply: (id, result) => peer.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`),
    refuse: (id) => peer.answer(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`),
    end: () => response.end(),
    status(status, headers) {
      response.writeHead(status, headers).end();
      return true;
    },
    reset() {
      response.socket?.resetAndDestroy();
      return true;
    },
  };
  return peer;
}

const server = createServer(async (request, response) => {
  const peer = createPeer(response);
  if (request.method === "GET") {
    peer.openStream();
    response.flushHeaders();
    await receive(kind, { method: "notifications/initialized" }, peer);
    return;
  }
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const message = body === "" ? {} : JSON.parse(body);
  if (message.id === undefined || message.method === undefined) {
    response.writeHead(202).end();
    return;
  }
  await receive(kind, message, peer);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.on("SIGTERM", () => process.exit());
