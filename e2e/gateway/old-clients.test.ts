// Tests the gateway with the official v1 client on each transport.
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { main, type RunningGateway, root, startWrap } from "../processes/lethe.ts";

let wrapped: RunningGateway;
beforeAll(async () => {
  const server = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  wrapped = await startWrap("--", "node", server, "stdio");
});
afterAll(() => wrapped?.stop());

const transports: [string, () => Transport][] = [
  ["Streamable HTTP", () => new StreamableHTTPClientTransport(new URL(wrapped.url)) as Transport],
  ["HTTP+SSE", () => new SSEClientTransport(new URL("/sse", wrapped.url))],
  ["HTTP+SSE below the endpoint", () => new SSEClientTransport(new URL(`${wrapped.url}/server/sse`))],
  [
    "stdio, through lethe bridge",
    () =>
      new StdioClientTransport({ command: process.execPath, args: [main, "bridge", wrapped.url], stderr: "ignore" }),
  ],
];

it.each(transports)(
  "the official v1 client over %s lists, calls, receives progress and answers input requests",
  async (_name, transportOf) => {
    const client = new Client({ name: "old", version: "1.0.0" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: "accept",
      content: { name: "Ann", check: true },
    }));
    await client.connect(transportOf());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("get-sum");
    const sum = await client.callTool({ name: "get-sum", arguments: { a: 2, b: 3 } });
    expect(sum.content).toMatchObject([{ text: expect.stringContaining("5") }]);
    const heard: number[] = [];
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.4, steps: 2 } },
      undefined,
      {
        onprogress: ({ progress }) => heard.push(progress),
      },
    );
    // The last progress arrives with the result, and this SDK drops it if both arrive together.
    expect(heard[0]).toBe(1);
    const asked = await client.callTool({ name: "trigger-elicitation-request", arguments: {} });
    expect(JSON.stringify(asked.content)).toContain("Ann");
    await client.close();
  },
);
