// Requirements on a client that no unit test covers: one test each, named by its id.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { authorizationCode } from "@lethe/client/auth";
import { connect } from "@lethe/client/node";
import type { JsonObject } from "@lethe/protocol";
import { createServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { expect, onTestFinished, test } from "vitest";

type Answer = (message: JsonObject, request: IncomingMessage, response: ServerResponse) => void;

async function start(answer: Answer): Promise<URL> {
  const server = createHttpServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    answer(text === "" ? {} : JSON.parse(text), request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

const json = { "content-type": "application/json" };
/** A server on stdio that answers `server/discover` with an error, and then speaks 2025-11-25. */
const legacyProgram = (code: number): string => `
  const lines = require("node:readline").createInterface({ input: process.stdin });
  const write = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
  lines.on("line", (line) => {
    const { id, method } = JSON.parse(line);
    if (method === "initialize") {
      const serverInfo = { name: "old", version: "1" };
      write({ id, result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo } });
    } else if (id !== undefined) write({ id, error: { code: ${code}, message: "no" } });
  });`;

test("B-54: a client mirrors the parameters that a tool annotates into headers", async () => {
  const headers: unknown[] = [];
  const url = await start(({ id, method }, request, response) => {
    const inputSchema = { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" } } };
    const results: Record<string, JsonObject> = {
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
      "tools/list": { tools: [{ name: "weather", inputSchema }] },
      "tools/call": { content: [] },
    };
    if (method === "tools/call") headers.push(request.headers["mcp-param-city"]);
    const result = { resultType: "complete", ttlMs: 0, cacheScope: "private", ...results[String(method)] };
    response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const client = await connect(url);
  onTestFinished(() => client.close());
  await client.listTools();
  await client.callTool("weather", { city: "Oslo" });
  expect(headers).toEqual(["Oslo"]);
});

test.each([-32601, -32602, -32600, -32603, -32000, -32001, -32002, -32003, 0, 1, 404])(
  "C-12: a client on stdio falls back to an older revision after error %i",
  async (code) => {
    const client = await connect({ command: process.execPath, args: ["-e", legacyProgram(code)] });
    onTestFinished(() => client.close());
    expect(client.connection.revision).toBe("2025-11-25");
  },
);

test("C-3, A-3: a client ignores requests of a modern server, and its call continues", async () => {
  const program = `
    const lines = require("node:readline").createInterface({ input: process.stdin });
    const write = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const heard = [];
    lines.on("line", (line) => {
      const message = JSON.parse(line);
      const { id, method } = message;
      heard.push(method ?? "a response");
      const cached = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
      if (method === "server/discover") {
        write({ id, result: { ...cached, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } } });
      } else if (method === "tools/list") write({ id, result: { ...cached, tools: [] } });
      else if (method === "tools/call") {
        write({ id: 100, method: "elicitation/create", params: { message: "m", requestedSchema: {} } });
        write({ id: 101, method: "ping" });
        setTimeout(() => write({ id, result: { resultType: "complete", content: [{ type: "text", text: heard.join() }] } }), 50);
      }
    });`;
  const client = await connect(
    { command: process.execPath, args: ["-e", program] },
    { elicit: () => ({ action: "accept", content: {} }) },
  );
  onTestFinished(() => client.close());
  const { content } = await client.callTool("t", {});
  expect(JSON.stringify(content)).not.toContain("a response");
});

test("E-37: a client cancels its own running request and no other", async () => {
  const cancelled: unknown[] = [];
  const server = createServer({ name: "s", version: "1" });
  server.tool("hang", {
    handler: (_, ctx) =>
      new Promise((_, reject) => {
        ctx.signal.addEventListener("abort", () => {
          cancelled.push("hang");
          reject(ctx.signal.reason);
        });
      }),
  });
  server.tool("quick", { handler: () => "done" });
  const { url, close } = await serve(server, { port: 0 });
  onTestFinished(() => close({ graceMs: 0 }));
  const client = await connect(url);
  onTestFinished(() => client.close());
  const controller = new AbortController();
  const hanging = client.callTool("hang", {}, { signal: controller.signal });
  hanging.catch(() => {});
  const others = [client.callTool("quick", {}), client.callTool("quick", {})];
  controller.abort();
  await expect(hanging).rejects.toThrow();
  for (const other of await Promise.all(others)) expect(other.content).toMatchObject([{ text: "done" }]);
});

test.each([
  ["not https", "http://client.example/metadata.json"],
  ["without a path", "https://client.example/"],
  ["with a fragment", "https://client.example/m.json#x"],
])("G-31: a client rejects a client metadata URL that is %s", (_what, clientMetadataUrl) => {
  const redirectUrl = "http://127.0.0.1:1/callback";
  expect(() => authorizationCode({ redirectUrl, redirect: async (url) => url, clientMetadataUrl })).toThrow(
    `clientMetadataUrl must be an https URL with a path, got ${clientMetadataUrl}`,
  );
});
