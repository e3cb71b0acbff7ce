// The official SDK, which most clients of older revisions use, against one server: over Streamable HTTP, HTTP+SSE and
// stdio, on one URL and in one process (D.5, D.6, D-50).
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveToSdk } from "./sdk-transports.ts";

const sdk = await serveToSdk();
afterAll(() => sdk.close());

const transports = [
  ["Streamable HTTP", sdk.streamableHttp],
  ["HTTP+SSE at its own path", sdk.sseAtOwnPath],
  ["HTTP+SSE at the ordinary URL", sdk.sseAtOrdinaryUrl],
  ["stdio", sdk.stdio],
] as const;

describe.each(transports)("SDK 1.32 over %s", (_name, open) => {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client({ name: "old", version: "1" }, { capabilities });
  const asked: unknown[] = [];
  const heard: string[] = [];
  const logged: unknown[] = [];

  beforeAll(async () => {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      const content = params.message === "A note?" ? { note: "cable" } : { resolution: "Fixed", tags: ["api"] };
      return { action: "accept", content };
    });
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      model: "m",
      content: { type: "text", text: "4" },
    }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///home" }] }));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push("tools"));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
    await client.connect(open());
  });

  afterAll(() => client.close());

  it("completes the handshake", () => {
    expect(client.getServerVersion()).toEqual({ name: "tracker", version: "1.0.0" });
    expect(client.getInstructions()).toBe("Be nice.");
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true },
    });
  });

  it("answers elicitations during a call (D-50)", async () => {
    const result = await client.callTool({ name: "resolve", arguments: { id: 7 } });
    expect(result).toMatchObject({ structuredContent: { id: 7, resolution: "Fixed (api): cable" } });
    expect(asked).toMatchObject([{ mode: "form", message: "How was bug #7 resolved?" }, { message: "A note?" }]);
  });

  it("answers sampling and roots requests", async () => {
    const result = await client.callTool({ name: "think" });
    expect(result.content).toEqual([{ type: "text", text: '{"type":"text","text":"4"} in file:///home' }]);
  });

  it("receives progress and log messages", async () => {
    await client.setLoggingLevel("debug");
    const steps: unknown[] = [];
    await client.callTool({ name: "steps" }, undefined, { onprogress: (progress) => void steps.push(progress) });
    expect(steps).toEqual([0, 50, 100].map((progress) => ({ progress, total: 100, message: `at ${progress}` })));
    await expect.poll(() => logged).toEqual([{ done: 0 }, { done: 50 }, { done: 100 }]);
  });

  it("receives every content type, and text for types that it cannot parse", async () => {
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "count")).not.toHaveProperty("outputSchema");
    expect(await client.callTool({ name: "count" })).toEqual({ content: [{ type: "text", text: "3" }] });
    const { content } = await client.callTool({ name: "media" });
    expect((content as { type: string }[]).map(({ type }) => type)).toEqual(["text", "audio", "resource_link"]);
    const { messages } = await client.getPrompt({ name: "hello", arguments: { name: "Ada" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Say hello to Ada" } }]);
  });

  it("receives resource updates and list changes (D-26)", async () => {
    await client.subscribeResource({ uri: "test://door" });
    await client.callTool({ name: "switch" });
    await expect.poll(() => [...heard].sort()).toEqual(["test://door", "tools"]);
    await client.unsubscribeResource({ uri: "test://door" });
    await client.callTool({ name: "switch" });
    await expect.poll(() => [...heard].sort()).toEqual(["test://door", "tools", "tools"]);
  });

  it("gets the legacy error code for a missing resource (D-28)", async () => {
    const reading = client.readResource({ uri: "test://nowhere" });
    await expect(reading).rejects.toMatchObject({ code: -32002, data: { uri: "test://nowhere" } });
  });

  it("cancels a call by notification, not by disconnecting (D-27)", async () => {
    const before = await textOf(client.callTool({ name: "cancelled" }));
    const controller = new AbortController();
    const waiting = client.callTool({ name: "wait" }, undefined, { signal: controller.signal });
    setTimeout(() => controller.abort("enough"), 50);
    await expect(waiting).rejects.toThrow("enough");
    await expect.poll(() => textOf(client.callTool({ name: "cancelled" }))).toBe(String(Number(before) + 1));
  });

  it("gets an answer to its ping (D-24)", async () => {
    expect(await client.ping()).toEqual({});
  });
});

async function textOf(calling: Promise<unknown>): Promise<string> {
  const { content } = (await calling) as { content: { text: string }[] };
  return content.map(({ text }) => text).join("");
}
