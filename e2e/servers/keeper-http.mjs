// The keeper over Streamable HTTP, at the port in PORT: one process for all, with its own keeper for each session.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createKeeper } from "./create-keeper.mjs";

const keepers = new Map();

createServer(async (request, response) => {
  const id = request.headers["mcp-session-id"];
  if (request.method === "DELETE") return response.writeHead(keepers.delete(id) ? 200 : 404).end();
  if (request.method !== "POST") return response.writeHead(405).end();
  let body = "";
  for await (const text of request.setEncoding("utf8")) body += text;
  const message = JSON.parse(body);
  if (message.method === "initialize") return begin(message, response);
  const receive = keepers.get(id);
  if (!receive) return response.writeHead(404).end();
  if (!message.method || message.id === undefined) {
    receive(message, () => {});
    return response.writeHead(202).end();
  }
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  receive(message, (sent) => {
    response.write(`event: message\ndata: ${JSON.stringify(sent)}\n\n`);
    if (!sent.method) response.end();
  });
}).listen(Number(process.env.PORT), "127.0.0.1");

function begin(message, response) {
  const id = randomUUID();
  const receive = createKeeper();
  keepers.set(id, receive);
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": id });
  receive(message, (sent) => response.end(JSON.stringify(sent)));
}
