// The server of crossing-offer.ts on the wire of 2025-11-25, with the official SDK v1: a session for each client.
import { randomUUID } from "node:crypto";
import type { JsonObject, Root } from "@lethe/protocol";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as wire from "@modelcontextprotocol/sdk/types.js";
import {
  type ArrivedCall,
  type CrossingServer,
  complete,
  getPrompt,
  type Hands,
  instructions,
  pageSize,
  prompts,
  read,
  resources,
  runTool,
  templates,
  tools,
} from "./crossing-offer.ts";
import { listen, readJson } from "./fixture.ts";

type Extra = RequestHandlerExtra<wire.ServerRequest, wire.ServerNotification>;

interface Session {
  readonly server: Server;
  readonly transport: StreamableHTTPServerTransport;
  readonly watched: Set<string>;
}

interface Shared {
  readonly calls: ArrivedCall[];
  readonly cancelled: string[];
  readonly offer: { tools: object[]; prompts: object[]; resources: object[] };
}

export async function startV1(): Promise<CrossingServer> {
  const shared: Shared = {
    calls: [],
    cancelled: [],
    offer: { tools: [...tools], prompts: [...prompts], resources: [...resources] },
  };
  const sessions = new Map<string, Session>();
  const fixture = await listen(async (request, response) => {
    const body = request.method === "POST" ? await readJson(request) : undefined;
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.get(id) : undefined;
    if (session) return session.transport.handleRequest(request, response, body);
    if (id === undefined && (body as { method?: string })?.method === "initialize") {
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (made) => void sessions.set(made, begun),
        onsessionclosed: (ended) => void sessions.delete(ended),
      });
      const watched = new Set<string>();
      const begun: Session = { transport, watched, server: createServer(shared, watched) };
      await begun.server.connect(transport as Transport);
      return transport.handleRequest(request, response, body);
    }
    response.writeHead(id === undefined ? 400 : 404, { "content-type": "application/json" });
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}');
  });
  const { calls, cancelled, offer } = shared;
  return {
    url: fixture.url,
    calls,
    cancelled,
    add(kind, name) {
      const item = kind === "resources" ? { uri: `test://${name}` } : kind === "tools" ? { inputSchema: noInput } : {};
      offer[kind].push({ name, ...item });
      for (const { server } of sessions.values()) {
        void server.notification({ method: `notifications/${kind}/list_changed` });
      }
    },
    update(uri) {
      for (const { server, watched } of sessions.values()) {
        if (watched.has(uri)) void server.sendResourceUpdated({ uri });
      }
    },
    close: () => fixture.close(),
  };
}

const noInput = { type: "object" };

function createServer({ calls, cancelled, offer }: Shared, watched: Set<string>): Server {
  const listChanged = true;
  const capabilities = {
    tools: { listChanged },
    prompts: { listChanged },
    resources: { listChanged, subscribe: true },
    completions: {},
    logging: {},
  };
  const server = new Server({ name: "crossing", version: "1.0.0" }, { capabilities, instructions });
  const page = <T>(member: string, items: readonly T[], cursor: string | undefined) => {
    const from = Number(cursor ?? 0);
    const rest = from + pageSize < items.length ? { nextCursor: String(from + pageSize) } : {};
    return { [member]: items.slice(from, from + pageSize), ...rest };
  };
  server.setRequestHandler(wire.ListToolsRequestSchema, ({ params }) => page("tools", offer.tools, params?.cursor));
  server.setRequestHandler(wire.ListPromptsRequestSchema, ({ params }) =>
    page("prompts", offer.prompts, params?.cursor),
  );
  server.setRequestHandler(wire.ListResourcesRequestSchema, ({ params }) =>
    page("resources", offer.resources, params?.cursor),
  );
  server.setRequestHandler(wire.ListResourceTemplatesRequestSchema, ({ params }) =>
    page("resourceTemplates", templates, params?.cursor),
  );
  server.setRequestHandler(wire.CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: args = {}, _meta = {} } = params;
    const headers = extra.requestInfo?.headers ?? {};
    calls.push({ name, meta: _meta as JsonObject, header: (header) => headers[header]?.toString() });
    const hands = toHands(server, extra, _meta.progressToken, () => cancelled.push(name));
    const { resultType: _, ...result } = await runTool(name, args, hands);
    return result as wire.CallToolResult;
  });
  server.setRequestHandler(
    wire.GetPromptRequestSchema,
    ({ params }) => getPrompt(params.name, params.arguments ?? {}) as wire.GetPromptResult,
  );
  server.setRequestHandler(wire.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const contents = read(uri);
    if (!contents) throw new wire.McpError(-32_002, "no such resource", { uri });
    return { contents: [contents] } as wire.ReadResourceResult;
  });
  server.setRequestHandler(wire.CompleteRequestSchema, ({ params }) => {
    const values = [...complete(params as Parameters<typeof complete>[0])];
    return { completion: { values, total: values.length, hasMore: false } };
  });
  server.setRequestHandler(wire.SubscribeRequestSchema, ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  server.setRequestHandler(wire.UnsubscribeRequestSchema, ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
  return server;
}

function toHands(
  server: Server,
  extra: Extra,
  progressToken: string | number | undefined,
  onCancelled: () => void,
): Hands {
  const relatedRequestId = extra.requestId;
  return {
    signal: extra.signal,
    onCancelled,
    progress(progress, total, message) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message };
      void extra.sendNotification({ method: "notifications/progress", params });
    },
    log: (level, data, logger) =>
      void extra.sendNotification({ method: "notifications/message", params: { level, data, logger } }),
    async elicit(message) {
      const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
      const { content } = await server.elicitInput({ message, requestedSchema }, { relatedRequestId });
      return String(content?.name);
    },
    async sample(prompt) {
      const { content } = await server.createMessage(
        { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 10 },
        { relatedRequestId },
      );
      return (content as { text: string }).text;
    },
    roots: async () => (await server.listRoots(undefined, { relatedRequestId })).roots as Root[],
  };
}
