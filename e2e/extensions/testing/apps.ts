// The cells of MCP Apps: an official client as a host, and our host at a published server.
import type { CommandTarget } from "@lethe/client";
import { apps } from "@lethe/client/extensions";
import { connect } from "@lethe/client/node";
import { expect } from "vitest";
import type { Extension, Revision } from "./cell.ts";
import { usingOfficial } from "./official-client.ts";
import { optionsOf, ownUpstreams, type Setting } from "./setting.ts";

const id = "io.modelcontextprotocol/ui";
const mimeType = "text/html;profile=mcp-app";
const extensions = { [id]: { mimeTypes: [mimeType] } };

export function appsOf({ own, gateway, official }: Setting): Extension {
  return {
    name: "MCP Apps",
    id,
    cells: {
      server: {
        shows:
          "The official client gets the tool, the page with its permissions and the structured result as a host, and a text instead without the extension.",
        async run(revision) {
          await openApp(own, revision, "cart", "Cart");
          await usingOfficial(own, { revision }, async (client) => {
            const text = { content: [{ type: "text", text: "The cart has 2 items." }] };
            expect(await client.callTool({ name: "cart" })).toMatchObject(text);
            expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("poll");
          });
        },
      },
      client: {
        shows:
          "Our client opens the app of `@modelcontextprotocol/server-system-monitor` (2025-11-25) and one of a server with `@modelcontextprotocol/ext-apps` (2026-07-28), and makes a call of its page. A model sees no tool for pages only.",
        run: (revision) =>
          revision === "2025-11-25"
            ? openOfficial(official.monitor, {
                revision,
                name: "get-system-info",
                title: "System Monitor",
                poll: "poll-system-stats",
              })
            : openOfficial(official.app, { revision, name: "clock", title: "Clock", poll: "poll" }),
      },
      "merged gateway": {
        shows:
          "The official client opens apps of servers of both revisions and of the system monitor, under URIs of the gateway. Pages call tools by the names of their own server.",
        async run(revision) {
          for (const name of ownUpstreams) await openApp(gateway, revision, `${name}__cart`, "Cart");
          await openApp(gateway, revision, "monitor__get-system-info", "System Monitor", "poll-system-stats");
        },
      },
      "single gateway": {
        shows: "The same at the endpoint of each server.",
        async run(revision) {
          for (const name of ownUpstreams) await openApp(`${gateway}/${name}`, revision, "cart", "Cart", "poll");
          await openApp(`${gateway}/monitor`, revision, "get-system-info", "System Monitor", "poll-system-stats");
        },
      },
    },
  };
}

/** `ownCall` is a tool that the page calls, by the name that its server knows. */
async function openApp(url: string, revision: Revision, name: string, title: string, ownCall?: string): Promise<void> {
  await usingOfficial(url, { revision, extensions }, async (client) => {
    // The system monitor does not declare the extension.
    if (title === "Cart") expect(client.getServerCapabilities()?.extensions).toHaveProperty([id]);
    const tool = (await client.listTools()).tools.find((one) => one.name === name);
    const { resourceUri = "" } = (tool?._meta?.ui ?? {}) as { resourceUri?: string };
    const [page] = (await client.readResource({ uri: resourceUri })).contents;
    expect(page).toMatchObject({ uri: resourceUri, mimeType, text: expect.stringContaining(title) });
    if (title === "Cart") expect(page?._meta).toMatchObject({ ui: { csp: { connectDomains: expect.anything() } } });
    expect((await client.callTool({ name, arguments: {} })).structuredContent).toBeDefined();
    if (ownCall) expect((await client.callTool({ name: ownCall, arguments: {} })).isError).not.toBe(true);
  });
}

interface OfficialApp {
  readonly revision: Revision;
  readonly name: string;
  readonly title: string;
  /** The tool that only its page may call. */
  readonly poll: string;
}

async function openOfficial(target: CommandTarget, { revision, name, title, poll }: OfficialApp): Promise<void> {
  const ui = apps();
  const client = await connect(target, { ...optionsOf(revision), extensions: [ui] });
  const tools = await client.listTools();
  const known = tools.map((one) => one.name);
  const forModel = client.extension(ui).forModel(tools);
  expect(forModel.map((one) => one.name)).toEqual(known.filter((one) => one !== poll));
  const tool = tools.find((one) => one.name === name);
  const app = tool && (await client.extension(ui).open(tool));
  expect(app?.html).toContain(title);
  expect((await app?.callTool(poll))?.isError).not.toBe(true);
  await client.close();
}
