import { createRequire } from "node:module";
import { connect } from "@lethe/client";
import { serve } from "@lethe/server/node";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServerV2 } from "@modelcontextprotocol/server";
import { type AdaptOptions, adaptServer, type OfficialServer } from "lethe/gateway";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { stdioServers } from "../servers/published.ts";

const { resolve } = createRequire(import.meta.url);
// Its package has no declarations.
const { createServer: createEverything } = (await import(
  resolve("@modelcontextprotocol/server-everything/dist/server/index.js")
)) as { createServer(): { server: McpServer } };

async function adapt(server: OfficialServer | (() => OfficialServer), options?: AdaptOptions): Promise<string> {
  const serving = await serve(adaptServer(server, options), { port: 0 });
  onTestFinished(() => serving.close());
  return serving.url;
}

async function officialClient(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  // The tools of the everything server depend on what its client can do.
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} };
  const client = new Client({ name: "official", version: "1.0.0" }, { capabilities });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return client;
}

/** "forbidden" is the default of `taskSupport`. */
async function listedBy(client: Client) {
  const { tools } = await client.listTools();
  return tools.map(({ execution, ...tool }) => ({ ...tool, isTask: execution?.taskSupport === "required" }));
}

/** Asks the caller for its name, without saying on which request. */
function asking(): McpServer {
  const server = new McpServer({ name: "asking", version: "1.0.0" });
  let runs = 0;
  server.registerTool("name", { inputSchema: { id: z.number() } }, async ({ id }) => {
    runs += 1;
    const answer = await server.server.elicitInput({
      message: `Who is ${id}?`,
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return { content: [{ type: "text", text: `${id} ${answer.content?.name}` }] };
  });
  server.registerTool("runs", {}, () => ({ content: [{ type: "text", text: String(runs) }] }));
  return server;
}

it("the everything server offers the same through the adapter as over stdio", async () => {
  const url = await adapt(() => createEverything().server);
  const { command, args } = stdioServers.everything;
  const direct = await officialClient(new StdioClientTransport({ command, args, stderr: "ignore" }));
  const adapted = await officialClient(new StreamableHTTPClientTransport(new URL(url)));
  expect(await listedBy(adapted)).toEqual(await listedBy(direct));
  expect((await adapted.listPrompts()).prompts).toEqual((await direct.listPrompts()).prompts);
  expect((await adapted.listResources()).resources).toEqual((await direct.listResources()).resources);
  for (const call of [
    { name: "echo", arguments: { message: "hello" } },
    { name: "get-sum", arguments: { a: 2, b: 3 } },
    { name: "get-structured-content", arguments: { location: "Chicago" } },
    { name: "get-tiny-image", arguments: {} },
    { name: "get-annotated-message", arguments: { messageType: "error", includeImage: true } },
  ]) {
    expect(await adapted.callTool(call), call.name).toEqual(await direct.callTool(call));
  }
});

it("a client of 2026-07-28 answers the elicitation of the everything server through the adapter", async () => {
  const url = await adapt(() => createEverything().server);
  const client = await connect(url, {
    elicit: ({ message }) => ({ action: "accept", content: { name: `answer to ${message.length}` } }),
  });
  onTestFinished(() => client.close());
  expect(client.connection).toMatchObject({ era: "modern", revision: "2026-07-28" });
  const result = await client.callTool("trigger-elicitation-request", {});
  expect(JSON.stringify(result.content)).toContain("answer to");
});

it("each of 20 callers of one server object gets its own answer, and each tool runs once", async () => {
  const url = await adapt(asking());
  const names = await Promise.all(
    Array.from({ length: 20 }, async (_, id) => {
      const client = await connect(url, {
        elicit: ({ message }) => ({ action: "accept", content: { name: message } }),
      });
      const { content } = await client.callTool("name", { id });
      await client.close();
      return content[0];
    }),
  );
  expect(names).toEqual(Array.from({ length: 20 }, (_, id) => ({ type: "text", text: `${id} Who is ${id}?` })));
  const client = await connect(url);
  expect((await client.callTool("runs", {})).content).toEqual([{ type: "text", text: "20" }]);
  await client.close();
});

it("a server object of the official SDK v2 is served to clients of both eras", async () => {
  const server = new McpServerV2({ name: "second", version: "2.0.0" });
  server.registerTool("greet", { inputSchema: z.object({ name: z.string() }) }, async ({ name }) => ({
    content: [{ type: "text", text: `Hello, ${name}!` }],
  }));
  const url = await adapt(server);
  const modern = await connect(url);
  const legacy = await officialClient(new StreamableHTTPClientTransport(new URL(url)));
  const content = [{ type: "text", text: "Hello, Ann!" }];
  expect((await modern.callTool("greet", { name: "Ann" })).content).toEqual(content);
  expect((await legacy.callTool({ name: "greet", arguments: { name: "Ann" } })).content).toEqual(content);
  const serverInfo = { name: "second", version: "2.0.0" };
  expect(modern.connection.server._meta).toEqual({ "io.modelcontextprotocol/serverInfo": serverInfo });
  await modern.close();
});
