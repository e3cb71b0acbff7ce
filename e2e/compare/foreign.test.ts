// Recordings of servers and clients that are not ours.
import { readFile } from "node:fs/promises";
import { compare, parseScript, recordTraffic, type Target, toReport } from "@lethe/compare";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, expect, it } from "vitest";
import { startStatefulV1 } from "../servers/official-v1.ts";
import { everything, type Running, startEverything, startOfficialV1 } from "./servers.ts";

let running: Running | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function marksOf(target: Target): Promise<Record<string, string>> {
  const script = parseScript(JSON.parse(await readFile(new URL("everything.json", import.meta.url), "utf8")));
  const { ways } = toReport(await compare(target, { script, connectTimeoutMs: 5_000 }));
  return Object.fromEntries(ways.map(({ id, verdicts }) => [id, verdicts.map(({ mark }) => mark).join("")]));
}

it("the reference server over Streamable HTTP: legacy with sessions, and no other way", async () => {
  running = await startEverything("streamableHttp");
  expect(await marksOf({ url: `${running.origin}/mcp` })).toEqual({ "legacy-http": "✓✓✓✓✓✓" });
});

it("the reference server over HTTP+SSE, and no other way", async () => {
  running = await startEverything("sse");
  expect(await marksOf({ url: `${running.origin}/sse` })).toEqual({ "http-sse": "✓✓✓✓✓✓" });
});

it("the reference server over stdio: legacy only", async () => {
  expect(await marksOf({ command: process.execPath, args: [everything, "stdio"] })).toEqual({
    "legacy-stdio": "✓✓✓✓✓✓",
  });
});

it("the official client of the first major version and a server of its own, through the recording proxy", async () => {
  running = await startOfficialV1();
  const traffic = await recordTraffic(new URL(`${running.origin}/mcp`), { secrets: ["Bearer s3cr3t-token"] });
  const client = new Client({ name: "official-client", version: "1.0.0" });
  const requestInit = { headers: { authorization: "Bearer s3cr3t-token" } };
  const transport = new StreamableHTTPClientTransport(new URL(traffic.url), { requestInit });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const { content } = await client.callTool({ name: "greet", arguments: { name: "Łukasz 🦦" } });
  expect(content).toEqual([{ type: "text", text: "Hello, Łukasz 🦦!" }]);
  await client.close();
  const comparison = await traffic.finish();
  const [way] = toReport(comparison).ways;
  expect(way?.measures).toMatchObject({
    requests: { POST: 3, GET: 1 },
    session: "none",
    contentTypes: { "text/event-stream": expect.any(Number) },
  });
  const text = JSON.stringify(comparison);
  expect(text).toContain("Hello, Łukasz 🦦!");
  expect(text).not.toContain("s3cr3t-token");
});

it("the same client and a server with sessions: the recording shows what both document of a session", async () => {
  const server = await startStatefulV1();
  const traffic = await recordTraffic(new URL(server.url));
  const client = new Client({ name: "official-client", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(traffic.url));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("echo");
  await transport.terminateSession();
  await client.close();
  const comparison = await traffic.finish();
  expect(server.sessions()).toBe(0);
  await server.close();
  const exchanges = comparison.recordings[0]?.exchanges ?? [];
  // initialize without an id; everything after it with the one that was given out; DELETE at the end (D-33, D-34).
  const told = exchanges.map(({ request, response }) => {
    const hasId = request.headers.some(([name]) => name.toLowerCase() === "mcp-session-id");
    return [request.verb, parseAll(request.body)[0]?.method ?? "", hasId, response?.status].join(" ");
  });
  expect(told.toSorted()).toEqual([
    "DELETE  true 200",
    "GET  true 200",
    "POST initialize false 200",
    "POST notifications/initialized true 202",
    "POST tools/list true 200",
  ]);
  const [way] = toReport(comparison).ways;
  expect(way?.measures).toMatchObject({ hasSession: true, session: "Mcp-Session-Id on 4 of 5 requests" });
  expect(way?.measures.longLived).toMatchObject([{ what: "GET /mcp" }]);
});

function parseAll(text: string): { method?: string }[] {
  return text === "" ? [] : [JSON.parse(text)].flat();
}
