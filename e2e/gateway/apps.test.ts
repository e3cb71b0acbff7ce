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
function upstreamOf(name: string, server: string) {
  const file = resolve(`@modelcontextprotocol/server-${server}`).replace("server.js", "index.js");
  return stdioUpstream(name, [file, "--stdio"]);
}

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
      await using(path ?? "/monitor", era, async (client) => {
        const { frame, calls } = await host.render(client, `${monitorPrefix}get-system-info`);
        await frame.waitForFunction(() => document.querySelector("#memory-percent")?.textContent?.includes("%"));
        expect(await frame.locator("#info-hostname").textContent()).not.toBe("");
        expect(calls).toContain("poll-system-stats");
      });
    },
  );

  it("shows the budget that the result of its tool contains", async () => {
    await using(path ?? "/budget", undefined, async (client) => {
      const { frame } = await host.render(client, `${budgetPrefix}get-budget-data`);
      await frame.waitForFunction(() => (document.querySelector("#sliders-container")?.children.length ?? 0) > 0);
    });
  });
});
