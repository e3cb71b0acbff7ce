// Tests the client with the reference server of March 2025 (revision 2024-11-05) on both of its transports.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpServers, type Program, type PublishedServer, stdioServers } from "../servers/published.ts";
import { type Opened, open, textOf } from "./opened.ts";

const ways: [way: string, server: Program | PublishedServer][] = [
  ["on stdio", stdioServers.everything2025],
  ["over HTTP+SSE", httpServers.everything2025Sse],
];

describe.each(ways)("server-everything 2025.3.19 %s", (_way, server) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(server, {
      sample: ({ systemPrompt }) => ({
        role: "assistant",
        model: "test",
        content: { type: "text", text: `sampled: ${systemPrompt}` },
      }),
    });
  });
  afterAll(() => opened.close());

  it("negotiates 2024-11-05", () => {
    expect(opened.client.connection).toMatchObject({ era: "legacy", revision: "2024-11-05" });
  });

  it("lists all pages, reads resources and gets prompts", async () => {
    const { client } = opened;
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["echo", "add", "longRunningOperation", "sampleLLM", "getTinyImage"]));
    const resources = await client.listResources();
    expect(resources).toHaveLength(100);
    expect((await client.readResource(resources[0]?.uri ?? "")).contents).toMatchObject([{ uri: resources[0]?.uri }]);
    expect(await client.listResourceTemplates()).toHaveLength(1);
    const { messages } = await client.getPrompt("complex_prompt", { temperature: "0.5" });
    expect(messages).toHaveLength(3);
  });

  it("calls tools, answers sampling requests and reports progress", async () => {
    const { client } = opened;
    expect(textOf(await client.callTool("add", { a: 2, b: 3 }))).toBe("The sum of 2 and 3 is 5.");
    expect(textOf(await client.callTool("sampleLLM", { prompt: "p" }))).toContain("sampled: You are a helpful test");
    const heard: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => void heard.push(progress);
    await client.callTool("longRunningOperation", { duration: 0.2, steps: 2 }, { onProgress });
    expect(heard).toEqual([1, 2]);
  });

  it("reports an unknown tool as an error", async () => {
    await expect(opened.client.callTool("nowhere")).rejects.toMatchObject({ name: "McpError" });
  });
});
