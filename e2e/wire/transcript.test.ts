// Tests the transcript check that validates the messages of all other tests.
import { spawnSync } from "node:child_process";
import { createFetchHandler } from "@lethe/server/edge";
import { expect, it } from "vitest";
import { recordingEnvironment, replayChildren } from "./testing/recorded-children.ts";
import { createTranscript, takeProblems } from "./testing/transcript.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } };
const right = { resultType: "complete", tools: [], ttlMs: 0, cacheScope: "public" };
const wrong = { resultType: "complete", tools: [] };

it.each<[string, unknown, object]>([
  ["a result without what its method needs", list, { id: 1, result: wrong }],
  ["a question of a modern server (A-3)", list, { id: "q", method: "roots/list" }],
  ["a notification that there is not", list, { method: "notifications/other" }],
  ["an error without a message", undefined, { id: 1, error: { code: 1 } }],
  ["a modern result for a client of an older revision", { ...list, params: {} }, { id: 1, result: { items: [] } }],
])("the transcript check finds %s", (_, heard, written) => {
  const transcript = createTranscript("server", () => undefined);
  transcript.heard(heard);
  transcript.wrote({ jsonrpc: "2.0", ...written });
  expect(takeProblems()).toHaveLength(1);
});

it("the transcript check accepts valid messages", () => {
  const transcript = createTranscript("server", () => undefined);
  for (const heard of [undefined, "{", [[]], { id: 1 }, list]) transcript.heard(heard);
  transcript.wrote({ jsonrpc: "2.0", id: 1, result: right });
  expect(takeProblems()).toEqual([]);
});

it("the transcript check validates requests against their revision", () => {
  const transcript = createTranscript("client", () => undefined);
  transcript.wrote(list);
  expect(takeProblems()).toEqual([]);
  transcript.wrote({ ...list, method: "tools/call" });
  expect(takeProblems()).toHaveLength(1);
});

it("the transcript check covers the HTTP edges", async () => {
  const servable = { info: { name: "s", version: "1" }, dispatch: async () => wrong as never };
  const headers = {
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
  };
  const init = { method: "POST", headers, body: JSON.stringify(list) };
  await createFetchHandler(servable)(new Request("http://127.0.0.1/", init));
  expect(takeProblems()).toHaveLength(1);
});

it("the transcript check covers stdio processes", () => {
  const program = `
    import { createServer, request } from "node:http";
    const server = createServer(async (asked, answer) => {
      for await (const _ of asked);
      answer.writeHead(200, ["Content-Type", "application/json"]);
      answer.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: ${JSON.stringify(wrong)} }));
    }).listen(0, "127.0.0.1", () => {
      const sent = request({ port: server.address().port, method: "POST" }, () => process.exit());
      sent.end(${JSON.stringify(JSON.stringify(list))});
    });
  `;
  const env = { ...process.env, ...recordingEnvironment() };
  spawnSync(process.execPath, ["--input-type=module", "-e", program], { env });
  replayChildren();
  expect(takeProblems()).toHaveLength(1);
});
