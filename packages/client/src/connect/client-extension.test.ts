// Extensions of a client: what they declare, their hooks, notifications and calls.
import type { Dispatch, Tool } from "@lethe/protocol";
import { clientCapabilitiesOf, method } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import { apps } from "../extensions/apps.ts";
import type { ClientExtension } from "./client-extension.ts";
import type { ClientOptions } from "./client-options.ts";
import { connectMemory } from "./connect-memory.ts";
import { createClient } from "./create-client.ts";

const page = { uri: "ui://a/page.html", mimeType: "text/html;profile=mcp-app" };
const inputSchema = { type: "object" } as const;
const tools: Tool[] = [
  { name: "shown", inputSchema, _meta: { ui: { resourceUri: page.uri } } },
  { name: "foreign", inputSchema, _meta: { ui: { resourceUri: "https://a.example/page.html" } } },
  { name: "wrong", inputSchema, _meta: { ui: { resourceUri: "ui://a/wrong.html" } } },
];

const discovered = {
  ...{ supportedVersions: ["2026-07-28"], capabilities: { tools: {}, resources: {} } },
  ...{ ttlMs: 0, cacheScope: "private" },
};

/** Answers a call with the extensions that its client declares. */
const dispatch: Dispatch = async (request, exchange) => {
  if (request.method === method.discover) return { resultType: "complete", ...discovered };
  if (request.method === method.listTools) return { resultType: "complete", tools };
  if (request.method === method.readResource) {
    const { uri } = request.params;
    const isPage = uri === page.uri;
    return { resultType: "complete", contents: [isPage ? { ...page, blob: btoa("<p>") } : { uri, text: "plain" }] };
  }
  exchange.notify({ jsonrpc: "2.0", method: "com.example/noted", params: { n: 1 } });
  const declared = clientCapabilitiesOf(request).extensions ?? {};
  return { resultType: "complete", content: [], structuredContent: { declared } };
};

async function open(options: ClientOptions) {
  return createClient(await connectMemory("a", dispatch), "a", options);
}

describe("an extension of a client", () => {
  it("is declared, changes tools and calls, and receives its notifications", async () => {
    const noted = vi.fn();
    const extension: ClientExtension = {
      id: "com.example/a",
      settings: { x: 1 },
      notifications: { "com.example/noted": noted },
      listTools: (all) => all.slice(0, 1),
      callTool: async (_, next) => ({ ...(await next()), _meta: { seen: true } }),
    };
    const client = await open({ extensions: [extension], tasks: false });
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["shown"]);
    const { structuredContent, _meta } = await client.callTool("shown");
    expect(structuredContent).toEqual({ declared: { "com.example/a": { x: 1 } } });
    expect(_meta).toEqual({ seen: true });
    expect(noted).toHaveBeenCalledWith({ n: 1 });
  });

  it("has calls that are made once per client, and is closed once with it", async () => {
    const api = vi.fn(() => ({ two: 2 }));
    const close = vi.fn();
    const failing = () => {
      throw new Error("still busy");
    };
    const extension: ClientExtension<{ two: number }> = { id: "com.example/b", api, close };
    const onWarning = vi.fn();
    const client = await open({ extensions: [{ id: "com.example/a", close: failing }, extension], onWarning });
    expect([client.extension(extension).two, client.extension(extension).two]).toEqual([2, 2]);
    expect(api).toHaveBeenCalledOnce();
    expect(() => client.extension({ ...extension })).toThrow("pass the same object to the option");
    await client.close();
    await client.close();
    expect(close).toHaveBeenCalledOnce();
    expect(onWarning).toHaveBeenCalledWith('extension "com.example/a": close failed: Error: still busy');
  });

  it.each([
    [{ id: "com.example/a" }, 'option "extensions": an array expected, got an object'],
    [[{ id: "a" }], 'extension "a": a prefix, a slash and a name expected'],
    [[{ id: "com.example/a", calls: {} }], 'extensions[0]: unknown option "calls"'],
    [[{ id: "com.example/a", api: {} }], 'extensions[0]: option "api": a function expected, got an object'],
    [[{ id: "com.example/a" }, { id: "com.example/a" }], 'extension "com.example/a": pass one extension per id'],
    [["com.example/a"], 'extensions[0]: an object with "id" expected as options, got a string'],
  ])("is rejected with an error that names it: %j", async (extensions, message) => {
    await expect(open({ extensions: extensions as never })).rejects.toThrow(message);
  });
});

describe("MCP Apps of a client", () => {
  it("open only pages with the URI and the media type of an app", async () => {
    const ui = apps();
    const client = await open({ extensions: [ui] });
    const [shown, foreign, wrong] = (await client.listTools()) as [Tool, Tool, Tool];
    const { open: openApp } = client.extension(ui);
    expect(await openApp(shown)).toMatchObject({ uri: page.uri, html: "<p>" });
    await expect(openApp(foreign)).rejects.toThrow("an app whose URI begins with ui:// expected");
    await expect(openApp(wrong)).rejects.toThrow(
      "a page of the media type text/html;profile=mcp-app expected, got none",
    );
  });
});
