// A client of 2025-11-25 behind a real nginx, over three processes that share only keys: sessions work at any process,
// but the response to an input request is a separate POST and must reach the process that sent the request.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it } from "vitest";
import { servedBy } from "../processes/nginx.ts";
import { type Deployment, deploy, replica } from "./deployment.ts";

const tracker = fileURLToPath(new URL("../../examples/tracker/dist/server.js", import.meta.url));
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function begin(...given: Parameters<typeof deploy>): Promise<Deployment> {
  const deployment = await deploy(...given);
  cleanups.push(deployment.stop);
  return deployment;
}

/** `servers` are those that answered a POST. */
async function connect(url: string) {
  const servers = new Set<string>();
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(target, init) {
      const response = await fetch(target, init);
      if (init?.method === "POST") servers.add(response.headers.get(servedBy) ?? "");
      return response;
    },
  });
  const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    const content = params.message === "A note?" ? { note: "cable" } : { resolution: "Fixed", tags: ["api"] };
    return { action: "accept", content };
  });
  await client.connect(transport as Transport);
  cleanups.push(() => client.close());
  return { client, transport, servers, asked };
}

const bug = { name: "get_bug", arguments: { id: 2 } };
const question = { name: "resolve", arguments: { id: 7 } };
const resolved = { structuredContent: { id: 7, resolution: "Fixed (api): cable" } };

it("a session works on all processes in turn, even after all have restarted (D-33)", async () => {
  const deployment = await begin(tracker);
  const { client, transport, servers } = await connect(deployment.url);
  const session = transport.sessionId;
  const use = async (): Promise<void> => {
    servers.clear();
    for (let turn = 0; turn < 6; turn++) {
      expect((await client.listTools()).tools).toHaveLength(3);
      expect(await client.callTool(bug)).toMatchObject({ structuredContent: { id: 2, state: "open" } });
    }
    expect(servers.size).toBe(3);
  };
  await use();
  await deployment.restart();
  await use();
  expect(session).toBeDefined();
  expect(transport.sessionId).toBe(session);
});

describe("a response that reaches another process than the pending call", () => {
  it("a response that reaches the wrong process is lost, so the call times out while the session continues", async () => {
    const { url } = await begin(replica, ["--patience", "300"]);
    const { client, asked } = await connect(url);
    await expect(client.callTool(question)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("the client did not answer elicitation/create"),
    });
    expect(asked).toEqual(["How was bug #7 resolved?"]);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });

  it("a response that reaches the wrong process is forwarded if the processes share a ClientMessageRelay", async () => {
    const { url } = await begin(replica, ["--shared"]);
    const { client, servers, asked } = await connect(url);
    for (let turn = 0; turn < 3; turn++) expect(await client.callTool(question)).toMatchObject(resolved);
    expect(asked).toHaveLength(6);
    expect(servers.size).toBe(3);
  });

  it("every response reaches its process if the load balancer keeps a session on one process", async () => {
    const { url } = await begin(replica, [], { balance: "hash $http_mcp_session_id consistent;" });
    const { client, servers, asked } = await connect(url);
    servers.clear();
    expect(await client.callTool(question)).toMatchObject(resolved);
    expect(asked).toHaveLength(2);
    expect(servers.size).toBe(1);
  });
});
