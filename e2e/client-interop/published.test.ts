// Tests the client with other published servers and bridges: era detection and basic use on each transport.
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { httpServers, program, stdioServers } from "../servers/published.ts";
import { open, textOf } from "./opened.ts";

/** The era and revision that the client settles on, and a tool that must be there. */
const listed = {
  "playwright on stdio": [stdioServers.playwright, "legacy 2025-11-25", "browser_navigate"],
  "playwright over HTTP": [httpServers.playwright, "legacy 2025-11-25", "browser_navigate"],
  "context7 on stdio": [stdioServers.context7, "modern 2026-07-28", "resolve-library-id"],
  "context7 over HTTP": [httpServers.context7, "modern 2026-07-28", "resolve-library-id"],
} as const;

it.concurrent.each(Object.entries(listed))(
  "the client lists the features of %s",
  async (_name, [server, era, tool]) => {
    const { client, close } = await open(server);
    expect(`${client.connection.era} ${client.connection.revision}`).toBe(era);
    expect((await client.listTools()).map(({ name }) => name)).toContain(tool);
    await close();
  },
);

/** All before server-sequential-thinking. */
const thinking = {
  "by itself": [stdioServers.thinking, "legacy"],
  "behind supergateway": [httpServers.supergateway, "legacy"],
  "behind supergateway with sessions": [httpServers.supergatewayStateful, "legacy"],
  "behind supergateway over HTTP+SSE": [httpServers.supergatewaySse, "legacy"],
  "behind mcp-proxy": [httpServers.proxy, "modern"],
  "behind mcp-proxy without a modern era": [httpServers.proxyLegacy, "legacy"],
  "behind mcp-proxy without sessions": [httpServers.proxyStateless, "modern"],
  "behind mcp-proxy over HTTP+SSE": [httpServers.proxySse, "legacy"],
} as const;

it.concurrent.each(Object.entries(thinking))(
  "server-sequential-thinking %s records a thought for the client",
  async (_name, [server, era]) => {
    const { client, close } = await open(server);
    expect(client.connection.era).toBe(era);
    const thought = { thought: "all rivers", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    const { structuredContent } = await client.callTool("sequentialthinking", thought);
    expect(structuredContent).toMatchObject({ thoughtNumber: 1 });
    await close();
  },
);

it("server-memory keeps its state between calls", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lethe-"));
  const { client, close } = await open({ ...stdioServers.memory, env: { MEMORY_FILE_PATH: join(folder, "m.json") } });
  const entities = [{ name: "Lethe", entityType: "river", observations: ["flows in Hades"] }];
  await client.callTool("create_entities", { entities });
  expect(textOf(await client.callTool("read_graph"))).toContain("flows in Hades");
  await close();
  await rm(folder, { recursive: true });
});

it("server-filesystem works only within the roots of its client", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lethe-")));
  await writeFile(join(folder, "a.txt"), "forgotten");
  const server = program("@modelcontextprotocol/server-filesystem", "dist/index.js");
  const { client, close } = await open(server, { roots: [{ uri: `file://${folder}` }] });
  await expect.poll(async () => textOf(await client.callTool("list_allowed_directories"))).toContain(folder);
  expect(textOf(await client.callTool("read_text_file", { path: join(folder, "a.txt") }))).toBe("forgotten");
  expect((await client.callTool("read_text_file", { path: "/etc/passwd" })).isError).toBe(true);
  await close();
  await rm(folder, { recursive: true });
});
