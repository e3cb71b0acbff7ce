// Tests the client with the current reference server, on each transport and with every feature.
import type { Change, ConnectOptions } from "@lethe/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createValidator } from "../../packages/server/src/features/json-validator.ts";
import { httpServers, type Program, type PublishedServer, stdioServers } from "../servers/published.ts";
import { type Opened, open, textOf } from "./opened.ts";

const ways: [way: string, server: Program | PublishedServer][] = [
  ["on stdio", stdioServers.everything],
  ["over Streamable HTTP", httpServers.everything],
  ["over HTTP+SSE", httpServers.everythingSse],
];

const warnings: string[] = [];
const options: ConnectOptions = {
  elicit: ({ requestedSchema }) => {
    if ("interpretation" in requestedSchema.properties)
      return { action: "accept", content: { interpretation: "snake" } };
    const name = "name" in requestedSchema.properties ? { name: "Ada" } : {};
    return { action: "accept", content: { ...name, check: true } };
  },
  elicitUrl: ({ url }) => ({ action: url === "https://example.com/yes" ? "accept" : "decline" }),
  sample: ({ maxTokens }) => {
    const text = `sampled within ${maxTokens}`;
    return { role: "assistant", model: "test", content: { type: "text", text } };
  },
  roots: [{ uri: "file:///tmp/lethe", name: "lethe" }],
  createValidator,
  onWarning: (message) => warnings.push(message),
};

describe.each(ways)("server-everything %s", (_way, server) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(server, options);
  });
  afterAll(() => opened.close());

  it("negotiates 2025-11-25 and sends instructions", () => {
    const { connection, server } = opened.client;
    expect(connection).toMatchObject({ era: "legacy", revision: "2025-11-25" });
    expect(server.instructions).toContain("Everything Server");
  });

  it("lists, reads resources and completes arguments", async () => {
    const { client } = opened;
    expect((await client.listTools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["echo", "trigger-elicitation-request", "trigger-sampling-request", "get-roots-list"]),
    );
    expect(await client.listResources()).toHaveLength(7);
    expect(await client.listResourceTemplates()).toHaveLength(2);
    expect(await client.listPrompts()).toHaveLength(4);
    const { contents } = await client.readResource("demo://resource/dynamic/text/1");
    expect(contents).toMatchObject([{ uri: "demo://resource/dynamic/text/1", text: expect.stringContaining("1") }]);
    const { messages } = await client.getPrompt("args-prompt", { city: "Paris" });
    expect(JSON.stringify(messages)).toContain("Paris");
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    });
    expect(completion.values).toContain("Engineering");
  });

  it("returns structured content that matches its schema (E-69)", async () => {
    const { client } = opened;
    expect(textOf(await client.callTool("get-sum", { a: 2, b: 3 }))).toContain("5");
    const { structuredContent } = await client.callTool("get-structured-content", { location: "New York" });
    expect(structuredContent).toHaveProperty("temperature");
    expect(textOf(await client.callTool("get-tiny-image"))).toContain("[image]");
    expect((await client.callTool("get-sum", { a: "two" })).isError).toBe(true);
    expect(warnings).toEqual([]);
  });

  it("sends form elicitations, URL elicitations and sampling requests", async () => {
    const { client } = opened;
    expect(textOf(await client.callTool("trigger-elicitation-request"))).toContain("Ada");
    const page = { message: "please", url: "https://example.com/yes" };
    expect(textOf(await client.callTool("trigger-url-elicitation", page))).toMatch(/accept/i);
    const prompt = { prompt: "hello", maxTokens: 7 };
    expect(textOf(await client.callTool("trigger-sampling-request", prompt))).toContain("sampled within 7");
  });

  it("receives the roots", async () => {
    expect(textOf(await opened.client.callTool("get-roots-list"))).toContain("file:///tmp/lethe");
  });

  it("reports progress", async () => {
    const heard: number[] = [];
    const long = { duration: 0.2, steps: 4 };
    const onProgress = ({ progress }: { progress: number }) => void heard.push(progress);
    await opened.client.callTool("trigger-long-running-operation", long, { onProgress });
    expect(heard).toEqual([1, 2, 3, 4]);
  });

  it("notifies a subscriber of its resource only", async () => {
    const { client } = opened;
    const uri = "demo://resource/dynamic/text/2";
    const changes: Change[] = [];
    const subscription = await client.subscribe({ resourceSubscriptions: [uri] }, (change) => changes.push(change));
    await client.callTool("toggle-subscriber-updates");
    await expect.poll(() => changes, { timeout: 15_000 }).toContainEqual({ kind: "resource", uri, isSynthetic: false });
    await client.callTool("toggle-subscriber-updates");
    expect(changes.every((change) => change.kind === "resource" && change.uri === uri)).toBe(true);
    await subscription.close();
  });

  it("runs a tool as a task to its end, with an input request (D-38)", {
    timeout: 30_000,
  }, async () => {
    const states: string[] = [];
    const question = { topic: "python", ambiguous: true };
    const result = await opened.client.callTool("simulate-research-query", question, {
      onTask: ({ status }) => void states.push(status),
    });
    expect(textOf(result)).toContain("python (snake)");
    expect([...new Set(states)].sort()).toEqual(["completed", "input_required", "working"]);
  });

  it("cancels a task (D-38)", async () => {
    const { client } = opened;
    const controller = new AbortController();
    const handles: string[] = [];
    const running = client.callTool(
      "simulate-research-query",
      { topic: "rivers" },
      {
        signal: controller.signal,
        onTask({ taskId }) {
          handles.push(taskId);
          controller.abort();
        },
      },
    );
    await expect(running).rejects.toMatchObject({ reason: "cancelled" });
    const task = client.task({ taskId: handles[0] ?? "" });
    await expect.poll(async () => (await task.get()).status).toBe("cancelled");
    await expect(client.task({ taskId: "nowhere" }).get()).rejects.toMatchObject({ code: -32602 });
  });

  it("answers concurrent calls with the right results", async () => {
    const { client } = opened;
    const messages = Array.from({ length: 30 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(messages.map((message) => client.callTool("echo", { message })));
    expect(answers.map(textOf)).toEqual(messages.map((message) => `Echo: ${message}`));
  });
});
