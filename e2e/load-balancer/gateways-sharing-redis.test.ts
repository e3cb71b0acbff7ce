// Three gateways behind a real nginx in plain round robin, which share a Redis: an older client answers input requests through
// any replica, and the replicas count a caller's rate together.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@lethe/client/node";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, it } from "vitest";
import { startRedis } from "../../packages/redis/src/testing/redis-server.ts";
import { startGatewayWith } from "../processes/lethe.ts";
import { startNginx } from "../processes/nginx.ts";
import { startServer } from "../processes/server.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function deploy(settings: object = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lethe-gateways-"));
  cleanups.push(() => rm(folder, { recursive: true }));
  const redis = await startRedis();
  cleanups.push(redis.stop);
  const tracker = await startServer("examples/tracker/dist/server.js", { args: ["--port", "0", "--bugs", "9"] });
  cleanups.push(tracker.stop);
  const config = join(folder, "gateway.json");
  const gateway = { redis: { url: redis.url }, ...settings };
  await writeFile(config, JSON.stringify({ mcpServers: { tracker: { url: tracker.url } }, gateway }));
  const env = { LETHE_KEYS: `k1:${Buffer.alloc(32, 9).toString("base64url")}` };
  const starts = [1, 2, 3].map(() => startGatewayWith(env, config, "--port", "0"));
  // Also those that start when another one does not.
  cleanups.push(() => Promise.allSettled(starts.map(async (start) => (await start).stop())));
  const gateways = await Promise.all(starts);
  const nginx = await startNginx(gateways.map(({ url }) => Number(new URL(url).port)));
  cleanups.push(nginx.stop);
  return nginx.url;
}

it("the responses of a legacy client reach the gateway that sent the request", async () => {
  const transport = new StreamableHTTPClientTransport(new URL(await deploy()));
  const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
  let asked = 0;
  client.setRequestHandler(ElicitRequestSchema, () => {
    const isFirst = asked % 2 === 0;
    asked += 1;
    return { action: "accept", content: isFirst ? { resolution: "Duplicate" } : { duplicateOf: 1 } };
  });
  await client.connect(transport as Transport);
  cleanups.push(() => client.close());
  for (const id of [2, 3, 4, 5, 6]) {
    const result = await client.callTool({ name: "tracker__resolve_bug", arguments: { id } });
    expect(result.structuredContent).toMatchObject({ id, resolution: "Duplicate", duplicateOf: 1 });
  }
  expect(asked).toBe(10);
});

it("the rate limit of a caller applies to all gateways together", async () => {
  const keys = [{ id: "ci", key: "ci-key-of-this-test" }];
  const url = await deploy({ auth: { keys }, limits: { requestsPerMinute: 10 } });
  const headers = { Authorization: "Bearer ci-key-of-this-test" };
  const client = await connect(url, { headers });
  cleanups.push(() => client.close());
  const calls = await Promise.allSettled(Array.from({ length: 20 }, () => client.listTools()));
  const served = calls.filter(({ status }) => status === "fulfilled").length;
  expect(served).toBeGreaterThan(5);
  expect(served).toBeLessThanOrEqual(10);
});
