// Tests the client with a FastMCP server on each of its transports.
import { fileURLToPath } from "node:url";
import type { Change, ConnectOptions } from "@lethe/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Program, PublishedServer } from "../servers/published.ts";
import { type Opened, open, textOf } from "./opened.ts";

const script = fileURLToPath(new URL("../servers/fastmcp-features.mjs", import.meta.url));
const program = (...args: string[]): Program => ({ command: process.execPath, args: [script, ...args] });

const ways: [way: string, server: Program | PublishedServer][] = [
  ["on stdio", program()],
  ["over Streamable HTTP", { program: () => program(), path: "/mcp" }],
  ["over HTTP+SSE", { program: () => program(), path: "/sse" }],
];

const options: ConnectOptions = {
  elicit: () => ({ action: "accept", content: { name: "Ada" } }),
  sample: () => ({ role: "assistant", model: "test", content: { type: "text", text: "sampled" } }),
};

describe.each(ways)("fastmcp %s", (_way, server) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(server, options);
  });
  afterAll(() => opened.close());

  it("lists, calls tools, reads resources and gets prompts", async () => {
    const { client } = opened;
    expect(client.connection.era).toBe("legacy");
    expect((await client.listTools()).map(({ name }) => name)).toContain("add");
    expect(textOf(await client.callTool("add", { a: 2, b: 3 }))).toBe("5");
    expect((await client.readResource("test://note")).contents).toMatchObject([{ text: "a note" }]);
    expect(JSON.stringify(await client.getPrompt("hi", { name: "Ada" }))).toContain("Please greet Ada.");
  });

  it("reports progress and logs", async () => {
    const heard: number[] = [];
    const logged: unknown[] = [];
    await opened.client.callTool(
      "count",
      {},
      {
        onProgress: ({ progress }) => heard.push(progress),
        onLog: ({ data }) => logged.push(data),
      },
    );
    expect(heard).toEqual([1, 2, 3]);
    await expect.poll(() => JSON.stringify(logged)).toContain("counted");
  });

  it("sends elicitations and sampling requests", async () => {
    expect(textOf(await opened.client.callTool("greet"))).toBe("hello Ada");
    expect(textOf(await opened.client.callTool("sample"))).toBe("sampled");
  });

  it("notifies a subscriber of changes", async () => {
    const { client } = opened;
    const changes: Change[] = [];
    const filter = { promptsListChanged: true, resourceSubscriptions: ["test://note"] };
    const subscription = await client.subscribe(filter, (change) => changes.push(change));
    await client.callTool("edit");
    await expect.poll(() => changes).toContainEqual({ kind: "prompts", isSynthetic: false });
    expect(changes).toContainEqual({ kind: "resource", uri: "test://note", isSynthetic: false });
    expect((await client.listPrompts()).map(({ name }) => name)).toContain("another");
    await subscription.close();
  });
});

it("fastmcp without sessions answers calls and reports progress", async () => {
  const { client, close } = await open({ program: () => program("stateless"), path: "/mcp" }, options);
  expect(client.connection.era).toBe("legacy");
  expect(textOf(await client.callTool("add", { a: 2, b: 3 }))).toBe("5");
  const heard: number[] = [];
  await client.callTool("count", {}, { onProgress: ({ progress }) => heard.push(progress) });
  expect(heard).toEqual([1, 2, 3]);
  await close();
});
