// Named endpoints in front of real servers: one of them asks during a call, and the sealed state is valid only where the tool is.
import { createRequire } from "node:module";
import { connect } from "@lethe/client/node";
import { metaKey, targetNameOf } from "@lethe/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningGateway, runGateway, stdioUpstream } from "./in-process.ts";

const packageOf = (name: string, file: string) =>
  createRequire(import.meta.url)
    .resolve(`@modelcontextprotocol/${name}/package.json`)
    .replace("package.json", file);
const everything = packageOf("server-everything", "dist/index.js");
const memory = packageOf("server-memory", "dist/index.js");
const asking = "everything__trigger-elicitation-request";

let running: RunningGateway;
beforeAll(async () => {
  running = await runGateway({
    upstreams: [stdioUpstream("everything", [everything, "stdio"]), stdioUpstream("memory", [memory])],
    settings: {
      endpoints: {
        sales: { upstreams: ["everything"], tools: { allow: ["echo", "trigger-*"] } },
        notes: { upstreams: ["memory"] },
        narrow: { upstreams: ["everything"], tools: { deny: ["trigger-*"] } },
      },
    },
  });
});
afterAll(() => running?.close());

const urlOf = (name: string) => `${running.url}/${name}`;

/** Sends one `tools/call` of the asking tool, as a client that declares elicitation. */
async function call(endpoint: string, params: object = {}) {
  const given = {
    name: asking,
    arguments: {},
    ...params,
    _meta: {
      [metaKey.protocolVersion]: "2026-07-28",
      [metaKey.clientCapabilities]: { elicitation: { form: {} } },
      [metaKey.clientInfo]: { name: "test", version: "1.0.0" },
    },
  };
  const response = await fetch(urlOf(endpoint), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": targetNameOf("tools/call", { name: asking }) ?? "",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: given }),
  });
  const text = await response.text();
  const data = text.startsWith("{") ? text : (/^data: (\{.*"(?:result|error)".*\})$/m.exec(text)?.[1] ?? "");
  return JSON.parse(data) as { result?: Record<string, unknown>; error?: { message: string } };
}

it("each named endpoint lists the tools of its real servers that its filter allows", async () => {
  const namesAt = async (name: string) => {
    const client = await connect(urlOf(name));
    const names = (await client.listTools()).map((tool) => tool.name);
    await client.close();
    return names;
  };
  const [sales, notes] = [await namesAt("sales"), await namesAt("notes")];
  expect(sales).toContain("everything__echo");
  expect(sales.filter((name) => !/^everything__(echo|trigger-.*)$/.test(name))).toEqual([]);
  expect(notes).toContain("memory__create_entities");
  expect(notes.filter((name) => !name.startsWith("memory__"))).toEqual([]);
});

it("a call that waits for its caller continues where its tool is offered, and nowhere else", async () => {
  const { result = {} } = await call("sales");
  expect(result.resultType).toBe("input_required");
  const [key = ""] = Object.keys(result.inputRequests as object);
  const answer = { action: "accept", content: { name: "Ann", check: true } };
  const retry = { requestState: result.requestState, inputResponses: { [key]: answer } };
  for (const endpoint of ["notes", "narrow"]) {
    expect((await call(endpoint, retry)).error?.message).toBe(`unknown tool: ${asking}`);
  }
  const { result: done } = await call("sales", retry);
  expect(JSON.stringify(done)).toContain("- Name: Ann");
});
