// Clients of 2025-11-25 behind a real nginx in plain round robin, over three processes that share keys and a Redis: whatever a
// session does may land anywhere.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { servedBy } from "../processes/nginx.ts";
import { type Deployment, deploy, replica } from "./deployment.ts";

const cleanups: (() => Promise<void>)[] = [];
let deployment: Deployment;

beforeEach(async () => {
  const redis = await startRedis();
  cleanups.push(redis.stop);
  deployment = await deploy(replica, ["--redis", redis.url]);
  cleanups.push(deployment.stop);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** `servers` are those that answered a POST. */
async function connect() {
  const servers = new Set<string>();
  const transport = new StreamableHTTPClientTransport(new URL(deployment.url), {
    async fetch(target, init) {
      const response = await fetch(target, init);
      if (init?.method === "POST") servers.add(response.headers.get(servedBy) ?? "");
      return response;
    },
  });
  const client = new Client(
    { name: "old", version: "1" },
    { capabilities: { elicitation: {}, sampling: {}, roots: {} } },
  );
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    const content = params.message === "A note?" ? { note: "cable" } : { resolution: "Fixed", tags: ["api"] };
    return { action: "accept", content };
  });
  client.setRequestHandler(CreateMessageRequestSchema, () => {
    asked.push("2 + 2?");
    return { model: "m", role: "assistant", content: { type: "text", text: "4" } };
  });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///work" }] }));
  await client.connect(transport as Transport);
  cleanups.push(() => client.close());
  return { client, transport, servers, asked };
}

it("100 conversations with questions end right while a process is killed", async () => {
  const sessions = await Promise.all(Array.from({ length: 10 }, connect));
  const disturbed = new Set<number>();
  async function insist(client: Client, id: number, tool: { name: string; arguments?: { id: number } }) {
    for (;;) {
      try {
        return await client.callTool(tool, undefined, { timeout: 5_000 });
      } catch (error) {
        // A call or an answer that a dead process had, or what nginx answered for it. Only 20 are under way at a time.
        disturbed.add(id);
        if (disturbed.size > 20) throw error;
      }
    }
  }
  let begun = 0;
  let revived: Promise<void> | undefined;
  async function converse(id: number) {
    const { client } = sessions[id % sessions.length] as (typeof sessions)[number];
    begun += 1;
    if (begun === ids.length / 2) revived = deployment.kill(1).then(() => deployment.revive(1));
    const resolved = await insist(client, id, { name: "resolve", arguments: { id } });
    const thought = await insist(client, id, { name: "think" });
    return [resolved.structuredContent, thought.content];
  }
  const results: unknown[] = [];
  const ids = Array.from({ length: 100 }, (_, id) => id);
  const queue = ids.values();
  const workers = Array.from({ length: 20 }, async () => {
    for (const id of queue) results[id] = await converse(id);
  });
  await Promise.all(workers);
  await revived;
  const text = '{"type":"text","text":"4"} in file:///work';
  expect(results).toEqual(ids.map((id) => [{ id, resolution: "Fixed (api): cable" }, [{ type: "text", text }]]));
  for (const { servers } of sessions) expect(servers.size).toBeGreaterThanOrEqual(3);
});
