// One client of each era behind one interface: it returns results and notifications in the form of 2026-07-28.
import { connect } from "@lethe/client/node";
import type { CompleteParams, JsonObject, LogMessage, Progress } from "@lethe/protocol";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as wire from "@modelcontextprotocol/sdk/types.js";

export interface CrossingClient {
  readonly instructions: string | undefined;
  /** The kinds of lists that changed, and the URIs of resources that were updated. */
  readonly changes: string[];
  list(kind: "tools" | "prompts" | "resources" | "resourceTemplates"): Promise<readonly object[]>;
  call(name: string, args?: JsonObject, options?: CrossingCallOptions): Promise<JsonObject>;
  getPrompt(name: string, args: { [name: string]: string }): Promise<JsonObject>;
  read(uri: string): Promise<JsonObject>;
  complete(params: CompleteParams): Promise<JsonObject>;
  /** Resolves when the subscription is active, with a function that ends it. */
  watch(uri: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface CrossingCallOptions {
  signal?: AbortSignal;
  onProgress?(progress: Progress): void;
  /** Called with warnings and errors. */
  onLog?(message: LogMessage): void;
  meta?: JsonObject;
}

export const root = { uri: "file:///work", name: "work" };
const user = { action: "accept" as const, content: { name: "Ann" } };
const model = {
  role: "assistant" as const,
  content: { type: "text" as const, text: "forty-two" },
  model: "test",
};

/** Ours. */
export async function connectModern(url: string): Promise<CrossingClient> {
  const client = await connect(url, { elicit: () => user, sample: () => model, roots: [root], cache: false });
  const changes: string[] = [];
  const subscription = await client.subscribe(
    { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    ({ kind }) => changes.push(kind),
  );
  return {
    instructions: client.server.instructions,
    changes,
    list: (kind) =>
      ({
        tools: () => client.listTools(),
        prompts: () => client.listPrompts(),
        resources: () => client.listResources(),
        resourceTemplates: () => client.listResourceTemplates(),
      })[kind](),
    call: async (name, args, options) => ({
      ...(await client.callTool(name, args, { ...options, ...(options?.onLog && { logLevel: "warning" }) })),
    }),
    getPrompt: async (name, args) => ({ ...(await client.getPrompt(name, args)) }),
    read: async (uri) => ({ ...(await client.readResource(uri)) }),
    complete: async (params) => ({ ...(await client.complete(params)) }),
    async watch(uri) {
      const watching = await client.subscribe({ resourceSubscriptions: [uri] }, (change) => {
        if (change.kind === "resource") changes.push(change.uri);
      });
      return async () => watching.close();
    },
    async close() {
      subscription.close();
      await client.close();
    },
  };
}

/** The first official SDK, at 2025-11-25. */
export async function connectLegacy(url: string): Promise<CrossingClient> {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client({ name: "old", version: "1.0.0" }, { capabilities });
  const changes: string[] = [];
  let onLog: CrossingCallOptions["onLog"];
  client.setRequestHandler(wire.ElicitRequestSchema, () => user);
  client.setRequestHandler(wire.CreateMessageRequestSchema, () => model);
  client.setRequestHandler(wire.ListRootsRequestSchema, () => ({ roots: [root] }));
  client.setNotificationHandler(wire.ToolListChangedNotificationSchema, () => void changes.push("tools"));
  client.setNotificationHandler(wire.PromptListChangedNotificationSchema, () => void changes.push("prompts"));
  client.setNotificationHandler(wire.ResourceListChangedNotificationSchema, () => void changes.push("resources"));
  client.setNotificationHandler(wire.ResourceUpdatedNotificationSchema, ({ params }) => void changes.push(params.uri));
  client.setNotificationHandler(wire.LoggingMessageNotificationSchema, ({ params }) => onLog?.(params as LogMessage));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Transport);
  await client.setLoggingLevel("warning");
  return {
    instructions: client.getInstructions(),
    changes,
    async list(kind) {
      if (kind === "tools") return (await client.listTools()).tools;
      if (kind === "prompts") return (await client.listPrompts()).prompts;
      if (kind === "resources") return (await client.listResources()).resources;
      return (await client.listResourceTemplates()).resourceTemplates;
    },
    async call(name, args = {}, { signal, onProgress, onLog: hears, meta } = {}) {
      onLog = hears;
      const request = { name, arguments: args, ...(meta && { _meta: meta }) };
      const options = {
        ...(signal && { signal }),
        ...(onProgress && { onprogress: (told: wire.Progress) => onProgress(told as Progress) }),
      };
      return { ...(await client.callTool(request, wire.CallToolResultSchema, options)) };
    },
    getPrompt: async (name, args) => ({ ...(await client.getPrompt({ name, arguments: args })) }),
    read: async (uri) => ({ ...(await client.readResource({ uri })) }),
    complete: async (params) => ({ ...(await client.complete(params as wire.CompleteRequest["params"])) }),
    async watch(uri) {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    close: () => client.close(),
  };
}
