// What `servableAt` of a gateway applies in a program that serves it: the same as `serveGateway` for the same settings.
import { connect } from "@lethe/client/node";
import { metaKey } from "@lethe/protocol";
import { serve } from "@lethe/server/node";
import { afterEach, expect, it } from "vitest";
import type { GatewaySettings } from "../config/schema/settings.ts";
import { startUpstreams } from "../testing/operated.ts";
import { createGateway } from "./create-gateway.ts";

const key = "key-of-ann-0123456789";
const auth = { keys: [{ id: "ann", key, scopes: [] }] };
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serveSettings(settings: GatewaySettings) {
  const upstreams = await startUpstreams("gh");
  cleanups.push(async () => upstreams[Symbol.asyncDispose]());
  const refusals: unknown[] = [];
  const gateway = createGateway(
    { upstreams: [{ kind: "http", name: "gh", url: upstreams.urls.gh ?? "", headers: {} }], settings },
    { onRefused: (reason) => refusals.push(reason) },
  );
  cleanups.push(() => gateway.close());
  const serving = await serve(gateway.servableAt, { port: 0 });
  cleanups.push(() => serving.close({ graceMs: 0 }));
  await gateway.settled;
  const statusAt = async (path: string) =>
    (await fetch(`${serving.url}${path}`, { method: "POST", body: "{}" })).status;
  return { url: `${serving.url}/mcp`, refusals, statusAt };
}

it("requires a key of the setting auth, and reports what it refused", async () => {
  const { url, refusals, statusAt } = await serveSettings({ auth });
  expect(await statusAt("/mcp")).toBe(401);
  expect(refusals).toHaveLength(1);
  await using client = await connect(url, { headers: { authorization: `Bearer ${key}` } });
  expect((await client.callTool("gh__read")).content).toMatchObject([{ text: "gh read" }]);
});

it("does not reveal names of upstreams to callers without credentials", async () => {
  const { statusAt } = await serveSettings({ auth });
  expect([await statusAt("/mcp/gh"), await statusAt("/mcp/none"), await statusAt("/none")]).toEqual([401, 401, 404]);
});

it("applies policies by caller", async () => {
  const policy = [{ effect: "allow" as const, callers: ["key ann"], tools: ["read"] }];
  const { url } = await serveSettings({ auth, policy });
  await using client = await connect(url, { headers: { authorization: `Bearer ${key}` } });
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["gh__read"]);
});

it("applies the limit of requests per minute to each caller", async () => {
  const { url } = await serveSettings({ auth, limits: { requestsPerMinute: 2 } });
  const statuses: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const { status } = await fetch(url, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
        ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list", authorization: `Bearer ${key}` },
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/list" },
        params: { _meta: { [metaKey.protocolVersion]: "2026-07-28", [metaKey.clientCapabilities]: {} } },
      }),
    });
    statuses.push(status);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

it.each([
  [{ auth: {} }, /"auth" needs "keys" or "jwt"/],
  [{ auth: { keys: [] } }, /"auth" needs "keys" or "jwt"/],
  [
    { auth: { jwt: { issuer: "https://as.example", jwksUrl: "https://as.example/keys", authorizationServers: [] } } },
    /"auth\.jwt" needs "publicUrl"/,
  ],
])("throws for the settings %j, which would let every caller in", (settings, expected) => {
  expect(() => createGateway({ upstreams: [], settings })).toThrow(expected);
});
