// An HTTP+SSE server that ends like a process when a second event stream opens, and then loses its state.
import type { ServerResponse } from "node:http";
import { type Fixture, listen, readJson } from "./fixture.ts";

const tools = [{ name: "remember", inputSchema: { type: "object" } }];

interface Message {
  readonly id?: unknown;
  readonly method: string;
}

/** Counts the calls of its one tool. */
function createCounter(): (message: Message) => object | undefined {
  let kept = 0;
  return ({ id, method }) => {
    const reply = (result: object) => ({ jsonrpc: "2.0", id, result });
    if (method === "initialize") {
      const serverInfo = { name: "one-stream", version: "1.0.0" };
      return reply({ protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list") return reply({ tools });
    if (method === "ping") return reply({});
    if (method === "tools/call") {
      kept += 1;
      return reply({ content: [{ type: "text", text: `kept ${kept}` }] });
    }
    return id === undefined ? undefined : { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } };
  };
}

export interface OneStream extends Fixture {
  /** The number of times that a second stream ended it. */
  ends(): number;
}

export async function startOneStream(): Promise<OneStream> {
  let ends = 0;
  let stream: ServerResponse | undefined;
  let receive = createCounter();
  const fixture = await listen(
    async (request, response) => {
      if (request.method === "GET" && request.url === "/sse") {
        if (stream) {
          ends += 1;
          stream.destroy();
          stream = undefined;
          receive = createCounter();
          response.destroy();
          return;
        }
        stream = response;
        receive = createCounter();
        response.on("close", () => {
          if (stream === response) stream = undefined;
        });
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("event: endpoint\ndata: /messages\n\n");
        return;
      }
      if (request.method !== "POST" || request.url !== "/messages" || !stream) {
        response.writeHead(404).end();
        return;
      }
      const answer = receive((await readJson(request)) as Message);
      response.writeHead(202).end();
      if (answer) stream.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    },
    { sessions: () => (stream ? 1 : 0) },
  );
  return { ...fixture, url: fixture.url.replace(/\/mcp$/, "/sse"), ends: () => ends };
}
