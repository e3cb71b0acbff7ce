// Our client against the official SDK's server, at revision 2026-07-28 over HTTP.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Change, type Client, type ConnectOptions, connect as connectAnywhere } from "@lethe/client";
import { connect as connectInNode } from "@lethe/client/node";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "official", version: "1.0.0" }, { capabilities: { logging: {} } });
  server.registerTool("add", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  server.registerTool("count", { inputSchema: z.object({}) }, async (_args, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (const progress of [1, 2, 3]) {
      if (progressToken === undefined) break;
      await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    }
    return { content: [{ type: "text", text: "counted" }] };
  });
  server.registerTool("greet", { inputSchema: z.object({}) }, (_args, ctx) => {
    const answer = acceptedContent(ctx.mcpReq.inputResponses, "name", z.object({ name: z.string() }));
    if (answer) return { content: [{ type: "text", text: `hello ${answer.name}` }] };
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    return inputRequired({ inputRequests: { name: inputRequired.elicit({ message: "Who?", requestedSchema }) } });
  });
  server.registerTool("wait", { inputSchema: z.object({}) }, () => new Promise<never>(() => {}));
  server.registerResource("note", "test://note", {}, (uri) => ({ contents: [{ uri: uri.href, text: "a note" }] }));
  server.registerPrompt("hi", {}, () => ({
    messages: [{ role: "user" as const, content: { type: "text" as const, text: "hi" } }],
  }));
  return server;
});
const http = createServer(toNodeHandler(handler) as RequestListener);
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

describe.each([
  ["undici", connectInNode],
  ["fetch", connectAnywhere],
])("over %s", (_name, connect) => {
  let opened: Client | undefined;
  afterEach(() => opened?.close());

  async function start(options: ConnectOptions = {}): Promise<Client> {
    opened = await connect(url, { ...options, legacy: false });
    return opened;
  }

  test("the client discovers the official server as a modern server", async () => {
    const { connection, server } = await start();
    expect(connection).toMatchObject({ era: "modern", revision: "2026-07-28" });
    expect(server.supportedVersions).toContain("2026-07-28");
  });

  test("the client lists and uses tools, resources and prompts of the official server", async () => {
    const client = await start();
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["add", "count", "greet", "wait"]);
    expect((await client.callTool("add", { a: 1, b: 2 })).content).toEqual([{ type: "text", text: "3" }]);
    expect((await client.listResources()).map(({ uri }) => uri)).toEqual(["test://note"]);
    expect((await client.readResource("test://note")).contents).toMatchObject([{ text: "a note" }]);
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(["hi"]);
    expect((await client.getPrompt("hi")).messages).toHaveLength(1);
  });

  test("the client reports an unknown tool and an unknown method as errors of the official server", async () => {
    const client = await start();
    await expect(client.callTool("nowhere")).rejects.toMatchObject({ name: "McpError", code: -32602 });
    await expect(client.request("x/unknown")).rejects.toMatchObject({ name: "McpError", code: -32601 });
  });

  test("the client receives progress before the result", async () => {
    const client = await start();
    const heard: number[] = [];
    await client.callTool("count", {}, { onProgress: ({ progress }) => heard.push(progress) });
    expect(heard).toEqual([1, 2, 3]);
  });

  test("the client answers an elicitation of the official server, and the call continues", async () => {
    const client = await start({ elicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    expect((await client.callTool("greet")).content).toEqual([{ type: "text", text: "hello Ada" }]);
  });

  test("the client is notified of a change at the official server", async () => {
    const client = await start();
    const change = await new Promise<Change>((resolve, reject) => {
      client.subscribe({ toolsListChanged: true }, resolve).then(() => handler.notify.toolsChanged(), reject);
    });
    expect(change).toEqual({ kind: "tools", isSynthetic: false });
  });

  test("the client abandons a call that exceeds its time limit", async () => {
    const client = await start();
    await expect(client.callTool("wait", {}, { timeoutMs: 100 })).rejects.toMatchObject({ reason: "timeout" });
  });

  test("fifty concurrent calls to the official server each get their own result", async () => {
    const client = await start();
    const sums = await Promise.all(Array.from({ length: 50 }, (_, a) => client.callTool("add", { a, b: 1 })));
    expect(sums.map(({ content }) => content[0])).toEqual(sums.map((_, a) => ({ type: "text", text: String(a + 1) })));
  });
});
