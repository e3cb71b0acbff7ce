// Three clients behind one interface: ours, and the official ones of 2026-07-28 and of 2025-11-25. Each answers
// all input requests in the same way.

import { connect } from "@lethe/client/node";
import type { JsonObject } from "@lethe/protocol";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

export interface Caller {
  toolNames(): Promise<string[]>;
  call(name: string, args: JsonObject): Promise<object>;
  /** Calls a tool that requires a task and follows the task to its end. */
  callTask(name: string, args: JsonObject): Promise<object>;
  close(): Promise<void>;
}

export const answers = {
  elicit: () => ({ action: "accept", content: { name: "Ann", check: true } }) as const,
  elicitUrl: () => ({ action: "accept" }) as const,
  sample: () => ({ role: "assistant", content: { type: "text", text: "forty-two" }, model: "test" }) as const,
  roots: [{ uri: "file:///work", name: "work" }],
};

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const answerTo = ({ mode }: { mode?: string | undefined }) => (mode === "url" ? answers.elicitUrl() : answers.elicit());

async function connectOurs(url: string): Promise<Caller> {
  const client = await connect(url, answers);
  return {
    toolNames: async () => (await client.listTools()).map(({ name }) => name),
    call: (name, args) => client.callTool(name, args),
    callTask: (name, args) => client.callTool(name, args),
    close: () => client.close(),
  };
}

async function connectModern(url: string): Promise<Caller> {
  const client = new ModernClient(
    { name: "official", version: "2.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => answerTo(params));
  client.setRequestHandler("sampling/createMessage", () => answers.sample());
  client.setRequestHandler("roots/list", () => ({ roots: [...answers.roots] }));
  await client.connect(new ModernTransport(new URL(url)));
  return toCaller(client);
}

async function connectOld(url: string): Promise<Caller> {
  const client = new OldClient({ name: "official", version: "1.0.0" }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerTo(params));
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.sample());
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [...answers.roots] }));
  await client.connect(new OldTransport(new URL(url)) as Transport);
  return {
    ...toCaller(client),
    async callTask(name, args) {
      const messages = client.experimental.tasks.callToolStream({ name, arguments: args });
      for await (const message of messages) {
        if (message.type === "result") return message.result;
        if (message.type === "error") throw message.error;
      }
      throw new Error("the stream ended without a result");
    },
  };
}

interface OfficialClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: JsonObject }): Promise<object>;
  close(): Promise<void>;
}

function toCaller(client: OfficialClient): Caller {
  return {
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    callTask: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

export const callers: readonly [name: string, connect: (url: string) => Promise<Caller>][] = [
  ["our client", connectOurs],
  ["the official client of 2026-07-28", connectModern],
  ["the official client of 2025-11-25", connectOld],
];
