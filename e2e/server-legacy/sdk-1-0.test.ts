// The official SDK of 2024-11-05, in the version of its first month, over HTTP+SSE and stdio against the current server.
import { serve } from "@lethe/server/node";
import { EventSource } from "eventsource";
import { Client } from "mcp-sdk-1-0/client/index.js";
import { SSEClientTransport } from "mcp-sdk-1-0/client/sse.js";
import { StdioClientTransport } from "mcp-sdk-1-0/client/stdio.js";
import type { Transport } from "mcp-sdk-1-0/shared/transport.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  EmptyResultSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "mcp-sdk-1-0/types.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTracker, serverFile } from "./tracker.ts";

const server = createTracker();
let serving: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  // Browsers have EventSource; Node does not.
  vi.stubGlobal("EventSource", EventSource);
  serving = await serve(server, { port: 0 });
});

afterAll(async () => {
  vi.unstubAllGlobals();
  await serving.close();
});

const transports: [string, () => Transport][] = [
  ["HTTP+SSE at its own path", () => new SSEClientTransport(new URL("/sse", serving.url))],
  ["HTTP+SSE at the ordinary URL", () => new SSEClientTransport(new URL(serving.url))],
  ["stdio", () => new StdioClientTransport({ command: process.execPath, args: [serverFile] })],
];

describe.each(transports)("SDK 1.0 over %s", (_name, open) => {
  const client = new Client({ name: "first", version: "1" }, { capabilities: { sampling: {}, roots: {} } });
  const heard: string[] = [];

  beforeAll(async () => {
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      model: "m",
      content: { type: "text", text: "4" },
    }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///home" }] }));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
    await client.connect(open());
  });

  afterAll(() => client.close());

  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.request({ method: "tools/call", params: { name, arguments: args } }, CallToolResultSchema);

  it("negotiates 2024-11-05", () => {
    expect(client.getServerVersion()).toEqual({ name: "tracker", version: "1.0.0" });
    expect(client.getServerCapabilities()).not.toHaveProperty("completions");
  });

  it("lists everything", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("media");
    expect(tools.some((tool) => "outputSchema" in tool)).toBe(false);
    expect((await client.listResources()).resources).toMatchObject([{ uri: "test://door" }]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "hello" }]);
  });

  it("receives the three content types that it knows", async () => {
    const { content } = await call("media");
    expect(content).toEqual([
      { type: "text", text: "hi" },
      { type: "resource", resource: { uri: "audio:inline", mimeType: "audio/wav", blob: "UklGRg==" } },
      { type: "text", text: "a: test://a" },
    ]);
    expect(await call("count")).toEqual({ content: [{ type: "text", text: "3" }] });
  });

  it("answers sampling and roots requests", async () => {
    expect((await call("think")).content).toEqual([
      { type: "text", text: '{"type":"text","text":"4"} in file:///home' },
    ]);
  });

  it("gets an error for a tool that elicits input", async () => {
    await expect(call("resolve", { id: 7 })).rejects.toMatchObject({ code: -32602 });
  });

  it("receives resource updates and list changes (D-26)", async () => {
    await client.subscribeResource({ uri: "test://door" });
    await call("switch");
    await expect.poll(() => [...heard].sort()).toEqual(["test://door", "tools"]);
    await call("switch");
  });

  it("accepts an empty result", async () => {
    expect(await client.ping()).toEqual({});
    expect(await client.request({ method: "ping" }, EmptyResultSchema)).toEqual({});
    expect(await client.setLoggingLevel("error")).toEqual({});
  });
});
