// The whole server behind its web-standard door, as a client on the wire sees it.
import { metaKey, modelRevision } from "@lethe/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createServer } from "./create-server.ts";

const server = createServer({ name: "s", version: "1" })
  .tool("add", {
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    handler: ({ a, b }) => ({ sum: a + b }),
  })
  .tool("slow", {
    handler(_, ctx) {
      ctx.progress(1, 2);
      ctx.progress(2, 2);
      return "done";
    },
  })
  .tool("sampler", { needs: { sampling: {} }, handler: () => "x" });

function post(
  method: string,
  params: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Promise<Response> {
  const _meta = { [metaKey.protocolVersion]: modelRevision, [metaKey.clientCapabilities]: {}, ...meta };
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": modelRevision,
    "mcp-method": method,
  });
  if (typeof params.name === "string") headers.set("mcp-name", params.name);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta } });
  return server.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
}

describe("server.fetch", () => {
  it("server.fetch answers a call with one JSON object", async () => {
    const response = await post("tools/call", { name: "add", arguments: { a: 1, b: 2 } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {
        resultType: "complete",
        content: [{ type: "text", text: '{"sum":3}' }],
        structuredContent: { sum: 3 },
        _meta: { [metaKey.serverInfo]: { name: "s", version: "1" } },
      },
    });
  });

  it("server.fetch answers with a stream when the handler first sends a notification", async () => {
    const response = await post("tools/call", { name: "slow" }, { progressToken: "p" });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const messages = (await response.text()).matchAll(/^data: ?(.+)$/gm);
    expect([...messages].map(([, data]) => JSON.parse(data ?? ""))).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "p", progress: 1, total: 2 } },
      { method: "notifications/progress", params: { progress: 2 } },
      { id: 7, result: { content: [{ text: "done" }] } },
    ]);
  });

  it.each([
    ["prompts/list", {}, 404, -32601],
    ["initialize", {}, 404, -32601],
    ["tools/call", { name: "sampler" }, 400, -32021],
    ["tools/call", { name: "nothing" }, 200, -32602],
  ])("server.fetch answers %s %j with status %i and code %i (A.5)", async (method, params, status, code) => {
    const response = await post(method, params);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: 7, error: { code } });
  });

  it("server.fetch sends a list in its cached serialized form", async () => {
    const [first, second] = await Promise.all([post("tools/list"), post("tools/list")]);
    const text = await first?.text();
    expect(JSON.parse(text ?? "").result.tools).toHaveLength(3);
    expect(await second?.text()).toBe(text);
  });
});
