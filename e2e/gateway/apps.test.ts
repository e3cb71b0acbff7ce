// Official MCP Apps servers behind a gateway, rendered in a browser by the official host bridge: the app works as it does without
// the gateway, although it knows its tools only by the names of its own server.
import { createRequire } from "node:module";
import type { Client } from "@lethe/client";
import { connect } from "@lethe/client/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HostBrowser, openHostBrowser } from "./app-host/host-browser.ts";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const mimeTypes = ["text/html;profile=mcp-app"];
const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes } } };
const { resolve } = createRequire(import.meta.url);

/** The program is beside the module that the package exports. */
function argsOf(server: string): string[] {
  return [resolve(`@modelcontextprotocol/server-${server}`).replace("server.js", "index.js"), "--stdio"];
}
const upstreamOf = (name: string, server: string) => stdioUpstream(name, argsOf(server));

let running: RunningGateway;
let host: HostBrowser;

beforeAll(async () => {
  [running, host] = await Promise.all([
    runGateway({ upstreams: [upstreamOf("monitor", "system-monitor"), upstreamOf("budget", "budget-allocator")] }),
    openHostBrowser(),
  ]);
}, 120_000);
afterAll(async () => {
  await Promise.all([running?.close(), host?.close()]);
});

async function showsSystem(client: Client, tool: string): Promise<void> {
  const { frame, calls } = await host.render(client, tool);
  await frame.waitForFunction(() => document.querySelector("#memory-percent")?.textContent?.includes("%"));
  expect(await frame.locator("#info-hostname").textContent()).not.toBe("");
  expect(calls).toContain("poll-system-stats");
}

it("an app at its server itself shows the state of the system, and polls it: the same test as through the gateway", async () => {
  const client = await connect({ command: process.execPath, args: argsOf("system-monitor") }, { capabilities });
  await showsSystem(client, "get-system-info").finally(() => client.close());
});

async function using(path: string, era: "legacy" | undefined, use: (client: Client) => Promise<void>): Promise<void> {
  const client = await connect(`${running.url}${path}`, { capabilities, ...(era && { era }) });
  await use(client).finally(() => client.close());
}

describe.each([
  ["the merged endpoint", "", "monitor__", "budget__"],
  ["the endpoint of its server", undefined, "", ""],
] as const)("an app at %s", (_, path, monitorPrefix, budgetPrefix) => {
  it.each([
    ["2026-07-28", undefined],
    ["2025-11-25", "legacy"],
  ] as const)(
    "shows the state of the system, and polls it by the name of its server's tool, for a client of %s",
    async (_era, era) => {
      await using(path ?? "/monitor", era, (client) => showsSystem(client, `${monitorPrefix}get-system-info`));
    },
  );

  it("shows the budget that the result of its tool contains", async () => {
    await using(path ?? "/budget", undefined, async (client) => {
      const { frame } = await host.render(client, `${budgetPrefix}get-budget-data`);
      await frame.waitForFunction(() => (document.querySelector("#sliders-container")?.children.length ?? 0) > 0);
    });
  });
});
