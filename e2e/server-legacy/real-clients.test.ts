// Published clients of every era against the tracker of examples/. Capable clients answer its two input requests; the others get
// an error that says why (D.4, D-50).
import { fileURLToPath } from "node:url";
import {
  type ClientOptions,
  Client as ClientV2,
  SSEClientTransport as SseV2,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { EventSource } from "eventsource";
import { Client as FirstClient } from "mcp-sdk-1-0/client/index.js";
import { SSEClientTransport as FirstSse } from "mcp-sdk-1-0/client/sse.js";
import { StdioClientTransport as FirstStdio } from "mcp-sdk-1-0/client/stdio.js";
import { CallToolResultSchema } from "mcp-sdk-1-0/types.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunningServer, startServer } from "../processes/server.ts";
import { inspect } from "./inspector.ts";

const script = "examples/tracker/dist/server.js";
const command = [process.execPath, fileURLToPath(new URL(`../../${script}`, import.meta.url)), "--stdio"] as const;
const stdio = { command: command[0], args: command.slice(1), stderr: "ignore" as const };

const duplicate = { id: 3, state: "resolved", resolution: "Duplicate", duplicateOf: 1 };
const questions = [expect.stringContaining("How was bug #3 resolved?"), "Which bug is the original?"];

/** A user who marks bug 3 as a duplicate of bug 1, and records the input requests. */
function createUser() {
  const asked: string[] = [];
  return {
    asked,
    answer(message: string) {
      asked.push(message);
      const content = message === questions[1] ? { duplicateOf: 1 } : { resolution: "Duplicate" };
      return { action: "accept" as const, content };
    },
  };
}

let tracker: RunningServer;
const url = (): URL => new URL(tracker.url);
const sseUrl = (): URL => new URL("/sse", tracker.url);

beforeEach(async () => {
  tracker = await startServer(script, { args: ["--port", "0"] });
});
afterEach(() => tracker.stop());

describe("SDK 1.32", () => {
  it.each<[string, () => Transport]>([
    ["Streamable HTTP", () => new HttpV1(url())],
    ["HTTP+SSE", () => new SSEClientTransport(sseUrl())],
    ["HTTP+SSE at the ordinary URL", () => new SSEClientTransport(url())],
    ["stdio", () => new StdioClientTransport(stdio)],
  ])("the client of SDK 1.32 over %s answers two elicitations", async (_, open) => {
    const user = createUser();
    const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => user.answer(params.message));
    await client.connect(open());
    const result = await client.callTool({ name: "resolve_bug", arguments: { id: 3 } });
    expect(result).toMatchObject({ structuredContent: duplicate });
    expect(user.asked).toEqual(questions);
    await client.close();
  });
});

describe("SDK 2", () => {
  const modes: [string, ClientOptions["versionNegotiation"], string][] = [
    ["legacy", undefined, "2025-11-25"],
    ["auto", { mode: "auto" }, "2026-07-28"],
    ["modern", { mode: { pin: "2026-07-28" } }, "2026-07-28"],
  ];
  const transports = [
    ["Streamable HTTP", () => new StreamableHTTPClientTransport(url())],
    ["stdio", () => new StdioV2(stdio)],
    ["HTTP+SSE", () => new SseV2(sseUrl())],
  ] as const;
  const ways = modes.flatMap(([mode, versionNegotiation, revision]) =>
    // HTTP+SSE exists in older revisions only.
    transports
      .slice(0, mode === "legacy" ? 3 : 2)
      .map(([name, open]) => ({ mode, name, open, versionNegotiation, revision })),
  );

  it.each(ways)(
    "the client of SDK 2 in $mode mode over $name answers two elicitations",
    async ({ open, versionNegotiation, revision }) => {
      const user = createUser();
      const options = {
        capabilities: { elicitation: { form: {} } },
        ...(versionNegotiation && { versionNegotiation }),
      };
      const client = new ClientV2({ name: "official", version: "2" }, options);
      client.setRequestHandler("elicitation/create", ({ params }) => user.answer(params.message));
      await client.connect(open());
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["list_bugs", "get_bug", "resolve_bug"]);
      const result = await client.callTool({ name: "resolve_bug", arguments: { id: 3 } });
      expect(result).toMatchObject({ structuredContent: duplicate });
      expect(user.asked).toEqual(questions);
      await client.close();
    },
  );
});

describe("SDK 1.0", () => {
  // Browsers have EventSource; Node does not.
  beforeAll(() => void vi.stubGlobal("EventSource", EventSource));
  afterAll(() => void vi.unstubAllGlobals());

  it.each([
    ["HTTP+SSE", () => new FirstSse(sseUrl())],
    ["stdio", () => new FirstStdio({ command: stdio.command, args: stdio.args })],
  ])(
    "the client of SDK 1.0 over %s uses tools that request no input and gets an error for those that do",
    async (_, open) => {
      const client = new FirstClient({ name: "first", version: "1" }, { capabilities: {} });
      await client.connect(open());
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["list_bugs", "get_bug", "resolve_bug"]);
      const call = (name: string) =>
        client.request({ method: "tools/call", params: { name, arguments: { id: 3 } } }, CallToolResultSchema);
      expect(JSON.stringify(await call("get_bug"))).toContain("open");
      await expect(call("resolve_bug")).rejects.toMatchObject({
        code: -32602,
        data: { requiredCapabilities: { elicitation: {} } },
      });
      await client.close();
    },
  );
});

describe("the MCP Inspector's command line", () => {
  it.each([
    ["Streamable HTTP", () => [url().href], "http"],
    ["HTTP+SSE", () => [sseUrl().href], "sse"],
    ["stdio", () => command, "stdio"],
  ])(
    "the command line of the MCP Inspector over %s lists and calls tools and gets an error for a tool that requests input",
    async (_, target, transport) => {
      const run = (...options: string[]) => inspect(target(), "--transport", transport, "--method", ...options);
      const [listed, called, refused] = await Promise.all([
        run("tools/list"),
        run("tools/call", "--tool-name", "get_bug", "--tool-arg", "id=3"),
        run("tools/call", "--tool-name", "resolve_bug", "--tool-arg", "id=3"),
      ]);
      expect(listed).toMatchObject({
        code: 0,
        result: { tools: [{ name: "list_bugs" }, {}, { name: "resolve_bug" }] },
      });
      expect(called).toMatchObject({ code: 0, result: { structuredContent: { id: 3, state: "open" } } });
      expect(refused).toMatchObject({ code: 1, result: undefined, stderr: expect.stringContaining("-32602") });
    },
  );
});
