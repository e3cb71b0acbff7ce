// An HTTP server in the test's process that answers as a few lines say, and remembers what it was asked.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { JsonObject } from "@lethe/protocol";

export interface Asked {
  via: string;
  path: string;
  /** Of the JSON-RPC message. */
  method: string;
  id: unknown;
  params: JsonObject;
  sessionId: string | undefined;
  headers: IncomingMessage["headers"];
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** A text, or a value that is sent as JSON. */
  body?: unknown;
  /** What is sent stays without an end. */
  isOpen?: boolean;
  /** The connection is broken off instead. */
  isBroken?: boolean;
}

/** Undefined never answers. */
export type Handle = (asked: Asked) => Reply | undefined;

export interface OddServer {
  url: string;
  asked: Asked[];
  /** "initialize", "DELETE" and the like, in the order in which they came. */
  methods(): string[];
  connections(): Promise<number>;
  close(): Promise<void>;
}

export async function startOddServer(handle: Handle): Promise<OddServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const message = await readMessage(request);
    const sessionId = request.headers["mcp-session-id"] as string | undefined;
    const { method: via = "", url: path = "", headers } = request;
    const one: Asked = {
      via,
      path,
      sessionId,
      headers,
      method: message.method ?? via,
      id: message.id,
      params: message.params ?? {},
    };
    asked.push(one);
    const reply = handle(one);
    if (!reply) return;
    if (reply.isBroken) return void request.socket.destroy();
    const { status = 200, body = "" } = reply;
    const isText = typeof body === "string";
    response.writeHead(status, { ...(!isText && { "content-type": "application/json" }), ...reply.headers });
    const text = isText ? body : JSON.stringify(body);
    if (reply.isOpen) return void response.write(text || ": open\n\n");
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    asked,
    methods: () => asked.map(({ method }) => method),
    connections: promisify(server.getConnections.bind(server)) as () => Promise<number>,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readMessage(request: IncomingMessage): Promise<{ method?: string; id?: unknown; params?: JsonObject }> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text === "" ? {} : JSON.parse(text);
}

const serverInfo = { name: "odd", version: "1" };
const capabilities = { tools: {} };

/** What an ordinary legacy server answers, when nothing odd happens. */
export function answerLegacy({ method, id, params }: Asked): Reply {
  switch (method) {
    case "initialize":
      return ok(id, { protocolVersion: params.protocolVersion, capabilities, serverInfo });
    case "notifications/initialized":
      return { status: 202 };
    case "tools/list":
      return ok(id, { tools: [{ name: "echo", inputSchema: { type: "object" } }] });
    case "ping":
      return ok(id, {});
    case "DELETE":
      return { status: 204 };
    default:
      return refuse(id, 200, -32601);
  }
}

/** What an ordinary modern server answers. */
export function answerModern({ method, id }: Asked): Reply {
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  if (method === "server/discover") return ok(id, { ...complete, supportedVersions: ["2026-07-28"], capabilities });
  if (method === "tools/list") return ok(id, { ...complete, tools: [] });
  return refuse(id, 404, -32601);
}

export function isModern({ params }: Asked): boolean {
  return (params._meta as JsonObject | undefined)?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
}

export function ok(id: unknown, result: JsonObject, headers: Record<string, string> = {}): Reply {
  return { body: { jsonrpc: "2.0", id, result }, headers };
}

export function refuse(id: unknown, status: number, code: number, data?: unknown): Reply {
  return {
    status,
    body: { jsonrpc: "2.0", id: id ?? null, error: { code, message: "no", ...(data !== undefined && { data }) } },
  };
}

export function withSession(reply: Reply, sessionId: string): Reply {
  return { ...reply, headers: { ...reply.headers, "mcp-session-id": sessionId } };
}

/** Gives out ids, and demands them back. `missing` and `foreign` say how it refuses. */
export function createStateful(
  refusals: { missing?: Reply; foreign?: Reply } = {},
): Handle & { sessions: Set<string> } {
  const sessions = new Set<string>();
  const handle = (asked: Asked): Reply => {
    const { method, id, sessionId } = asked;
    if (method === "initialize" && sessionId === undefined) {
      const created = crypto.randomUUID();
      sessions.add(created);
      return withSession(answerLegacy(asked), created);
    }
    if (sessionId === undefined) return refusals.missing ?? refuse(id, 400, -32000);
    if (!sessions.has(sessionId)) return refusals.foreign ?? refuse(id, 404, -32001);
    if (method === "DELETE") sessions.delete(sessionId);
    return answerLegacy(asked);
  };
  return Object.assign(handle, { sessions });
}
