// A server that speaks 2026-07-28 and an invented later revision, in which its messages have other members and methods.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@lethe/protocol";

export const later = "2099-01-01";
const versionKey = "io.modelcontextprotocol/protocolVersion";

export interface Received {
  readonly method: string;
  readonly params: JsonObject & { readonly _meta: JsonObject };
  readonly headers: IncomingHttpHeaders;
}

export interface LaterServer {
  readonly url: string;
  /** The revisions that it speaks now. */
  supported: string[];
  /** Everything that it received, in order. */
  readonly received: Received[];
  /** The messages of the later revision among these, by method. */
  later(): string[];
  close(): Promise<void>;
}

const tools = ["greet", "secret"].map((name) => ({ name, inputSchema: { type: "object" } }));
const hints = { ttlMs: 60_000, cacheScope: "public" };

type Answer = (params: JsonObject, isLater: boolean) => JsonObject;

const answers: Record<string, Answer> = {
  "tools/list": (_, isLater) => ({
    tools: isLater ? [...tools, { name: "newer", shape: "unknown" }] : tools,
    ...hints,
  }),
  "tools/call": (params, isLater) => {
    if (params.name === "ask" && params.requestState === undefined) {
      const inputRequests = { who: { method: "elicitation/gesture", params: { form: "wave" } } };
      return { resultType: "input_required", inputRequests, requestState: "state of the server" };
    }
    if (params.requestState !== undefined)
      return { content: [], answered: params.inputResponses, state: params.requestState };
    return isLater ? { resultType: "hologram", hologram: params } : { content: [{ type: "text", text: "done" }] };
  },
  "prompts/list": () => ({ prompts: [], ...hints }),
  "agents/run": (params) => ({ resultType: "complete", ran: params.agent, cacheScope: "public" }),
};

export async function startLaterServer(): Promise<LaterServer> {
  const received: Received[] = [];
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method, params } = JSON.parse(text);
    received.push({ method, params, headers: request.headers });
    const reply = (status: number, body: JsonObject) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    };
    const version = params._meta?.[versionKey] ?? request.headers["mcp-protocol-version"];
    if (!server.supported.includes(version)) {
      const data = { supported: server.supported, requested: version };
      return reply(400, { error: { code: -32022, message: "unsupported protocol version", data } });
    }
    if (id === undefined) return void response.writeHead(202).end();
    const isLater = version === later;
    if (method === "server/discover") {
      const extensions = { "io.modelcontextprotocol/tasks": {}, "com.example/x": {} };
      const capabilities = { tools: {}, prompts: {}, extensions, ...(isLater && { agents: {} }) };
      return reply(200, {
        result: { resultType: "complete", supportedVersions: server.supported, capabilities, ...hints },
      });
    }
    if (method === "tools/call" && params.name === "stream") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (message: JsonObject) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
      send({ method: "notifications/thought", params: { text: "hm" } });
      send({ method: "notifications/progress", params: { progressToken: params._meta.progressToken, progress: 1 } });
      send({ id, result: { resultType: "complete", content: [] } });
      return response.end();
    }
    const answer = answers[method];
    if (!answer) return reply(404, { error: { code: -32601, message: "method not found" } });
    return reply(200, { result: { resultType: "complete", ...answer(params, isLater) } });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: LaterServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    supported: [later, "2026-07-28"],
    received,
    later: () => received.filter(({ params }) => params?._meta?.[versionKey] === later).map(({ method }) => method),
    close: () => new Promise((resolve) => http.close(() => resolve())),
  };
  return server;
}
