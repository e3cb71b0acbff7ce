// Records servers and clients of other projects.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Comparison, compare, parseScript, recordTraffic, type Target, toMarkdown, toReport } from "lethe/compare";
import { afterEach, describe, expect, it } from "vitest";
import { startSingleV1, startStatefulV1 } from "../servers/official-v1.ts";
import { everything, type Running, startEverything, startOfficialV1 } from "./servers.ts";

let running: Running | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

async function record(target: Target): Promise<Comparison> {
  const script = parseScript(JSON.parse(await readFile(new URL("everything.json", import.meta.url), "utf8")));
  return compare(target, { script, connectTimeoutMs: 5_000 });
}

function marksOf(comparison: Comparison): Record<string, string> {
  const { transports } = toReport(comparison);
  return Object.fromEntries(transports.map(({ id, verdicts }) => [id, verdicts.map(({ mark }) => mark).join("")]));
}

/** Each exchange in one line: verb, method, whether a session was named, status, content type. */
function toLines({ recordings: [recording] }: Comparison): string[] {
  return (recording?.exchanges ?? []).map(({ request, response }) => {
    const [message] = parseAll(request.body);
    const said = message?.method ?? (message ? "answer" : "");
    const session = headerOf(request.headers, "mcp-session-id") === undefined ? "" : "in the session";
    const type = headerOf(response?.headers ?? [], "content-type")?.replace(/;.*/, "");
    return [request.verb, said, session, response?.status, type].filter(Boolean).join(" ");
  });
}

const headerOf = (headers: readonly (readonly [string, string])[], name: string): string | undefined =>
  headers.find(([given]) => given.toLowerCase() === name)?.[1];

function parseAll(text: string): { method?: string; id?: number; result?: object }[] {
  return text === "" ? [] : [JSON.parse(text)].flat();
}

// The reference server documents its transports in docs/startup.md and its features in docs/features.md.
describe("the recording of the reference server", () => {
  it("a recording over Streamable HTTP shows sessions, a GET stream, resumable events and a DELETE", async () => {
    running = await startEverything("streamableHttp");
    const comparison = await record({ url: `${running.origin}/mcp` });
    expect(marksOf(comparison)).toEqual({ "legacy-http": "✓✓✓✓✓✓✓✓✓" });
    const lines = toLines(comparison);
    expect(lines.slice(0, 2)).toEqual([
      "POST initialize 200 text/event-stream",
      "POST notifications/initialized in the session 202",
    ]);
    expect(lines.at(-1)).toBe("DELETE in the session 200");
    expect(lines.filter((line) => line === "GET in the session 200 text/event-stream")).toHaveLength(1);
    expect(lines.filter((line) => line === "POST answer in the session 202")).toHaveLength(3);
    expect(lines.filter((line) => !line.includes("in the session"))).toHaveLength(1);
    const [{ exchanges = [] } = {}] = comparison.recordings;
    expect(headerOf(exchanges[0]?.response?.headers ?? [], "mcp-session-id")).toMatch(/^[0-9a-f]{4}\*{3}$/);
    const events = exchanges.flatMap(({ response }) => response?.events ?? []);
    expect(events.length).toBeGreaterThan(20);
    expect(events.every(({ id }) => /^[0-9a-f-]{36}$/.test(id ?? ""))).toBe(true);
  });

  it("a recording over HTTP+SSE shows the endpoint /message with a session, which accepts each message with 202", async () => {
    running = await startEverything("sse");
    const comparison = await record({ url: `${running.origin}/sse` });
    expect(marksOf(comparison)).toEqual({ "http-sse": "✓✓✓✓✓✓✓✓✓" });
    const [{ exchanges = [] } = {}] = comparison.recordings;
    const [stream, ...posts] = exchanges;
    expect(toLines(comparison)[0]).toBe("GET 200 text/event-stream");
    expect(stream?.request.target).toBe("/sse");
    const [endpoint, ...messages] = stream?.response?.events ?? [];
    expect(endpoint).toMatchObject({
      event: "endpoint",
      data: expect.stringMatching(/^\/message\?sessionId=.{4}\*{3}$/),
    });
    expect(messages.every(({ event, id }) => event === "message" && id === undefined)).toBe(true);
    expect(new Set(posts.map(({ request }) => `${request.verb} ${request.target}`))).toEqual(
      new Set([`POST ${endpoint?.data}`]),
    );
    expect(new Set(posts.map(({ response }) => `${response?.status} ${response?.body}`))).toEqual(
      new Set(["202 Accepted"]),
    );
    // The server answers every request on the stream only.
    const asked = posts.flatMap(({ request }) => parseAll(request.body)).filter(({ method }) => method !== undefined);
    const answered = messages.flatMap(({ data }) => parseAll(data)).filter(({ result }) => result !== undefined);
    expect(answered.map(({ id }) => id).sort()).toEqual(asked.flatMap(({ id }) => id ?? []).sort());
    // A log message of this server contains the session id.
    expect(JSON.stringify(comparison)).toMatch(/SessionId [0-9a-f]{4}\*{3}/);
    expect(JSON.stringify(comparison)).not.toMatch(/SessionId [0-9a-f]{8}-/);
  });

  it("a recording over stdio shows one message per line, and only legacy revisions", async () => {
    const comparison = await record({ command: process.execPath, args: [everything, "stdio"] });
    expect(marksOf(comparison)).toEqual({ "legacy-stdio": "✓✓✓✓✓✓✓✓✓" });
    expect(comparison.unavailable).toMatchObject([
      { id: "modern-stdio", reason: "not supported: server/discover was refused: error -32601" },
    ]);
    const [{ lines = [] } = {}] = comparison.recordings;
    expect(lines.every(({ text }) => parseAll(text).length === 1 && "jsonrpc" in (parseAll(text)[0] ?? {}))).toBe(true);
    const asked = (name: "client" | "server") =>
      lines.filter(({ sender }) => sender === name).map(({ text }) => parseAll(text)[0]?.method ?? "answer");
    expect(asked("client").slice(0, 3)).toEqual(["initialize", "notifications/initialized", "tools/list"]);
    for (const question of ["sampling/createMessage", "elicitation/create", "roots/list"]) {
      expect(asked("server").filter((name) => name === question)).toHaveLength(1);
    }
  });
});

it("compare records a server in its only session and adds a remark", async () => {
  const server = await startSingleV1();
  const comparison = await compare({ url: server.url }, { connectTimeoutMs: 5_000 });
  await server.close();
  expect(marksOf(comparison)["legacy-http"]).toMatch(/^✓—+$/);
  expect(comparison.recordings[0]?.remarks.join()).toContain("may support only one and need a restart");
  expect(toMarkdown(toReport(comparison))).toContain("may support only one and need a restart");
});

it("the recording proxy records the official v1 client with a stateless server", async () => {
  running = await startOfficialV1();
  const traffic = await recordTraffic(new URL(`${running.origin}/mcp`), { secrets: ["Bearer s3cr3t-token"] });
  const client = new Client({ name: "official-client", version: "1.0.0" });
  const requestInit = { headers: { authorization: "Bearer s3cr3t-token" } };
  const transport = new StreamableHTTPClientTransport(new URL(traffic.url), { requestInit });
  await client.connect(transport as Transport);
  const { content } = await client.callTool({ name: "greet", arguments: { name: "Łukasz 🦦" } });
  expect(content).toEqual([{ type: "text", text: "Hello, Łukasz 🦦!" }]);
  await client.close();
  const comparison = await traffic.finish();
  // Stateless: no session, responses as event streams, 202 for notifications; the client tries a GET stream (D-35).
  expect(toLines(comparison).toSorted()).toEqual([
    "GET 200 text/event-stream",
    "POST initialize 200 text/event-stream",
    "POST notifications/initialized 202",
    "POST tools/call 200 text/event-stream",
  ]);
  const [{ exchanges = [] } = {}] = comparison.recordings;
  for (const { request } of exchanges) {
    const accept = request.verb === "GET" ? "text/event-stream" : "application/json, text/event-stream";
    const revision = request.body.includes('"initialize"') ? undefined : "2025-11-25";
    expect(headerOf(request.headers, "accept")).toBe(accept);
    expect(headerOf(request.headers, "mcp-protocol-version")).toBe(revision);
    expect(headerOf(request.headers, "authorization")).toBe("***");
  }
  const [measured] = toReport(comparison).transports;
  expect(measured?.measures).toMatchObject({ requests: { POST: 3, GET: 1 }, session: "none" });
  const text = JSON.stringify(comparison);
  expect(text).toContain("Hello, Łukasz 🦦!");
  expect(text).not.toContain("s3cr3t-token");
});

it("the recording proxy records the session of the official v1 client with a server", async () => {
  const server = await startStatefulV1();
  const traffic = await recordTraffic(new URL(server.url));
  const client = new Client({ name: "official-client", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL(traffic.url));
  await client.connect(transport as Transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("echo");
  await transport.terminateSession();
  await client.close();
  const comparison = await traffic.finish();
  expect(server.sessions()).toBe(0);
  await server.close();
  // initialize has no session id, every later request has the issued one, and DELETE ends the session (D-33, D-34).
  expect(toLines(comparison).toSorted()).toEqual([
    "DELETE in the session 200",
    "GET in the session 200 text/event-stream",
    "POST initialize 200 text/event-stream",
    "POST notifications/initialized in the session 202",
    "POST tools/list in the session 200 text/event-stream",
  ]);
  const [measured] = toReport(comparison).transports;
  expect(measured?.measures).toMatchObject({ hasSession: true, session: "Mcp-Session-Id on 4 of 5 requests" });
  expect(measured?.measures.longLived).toMatchObject([{ what: "GET /mcp" }]);
});

it("the official HTTP+SSE client stays on the recording proxy if the server sends an absolute endpoint URL", async () => {
  const transports = new Map<string, SSEServerTransport>();
  const http = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? "", "http://x");
    if (pathname === "/messages")
      return transports.get(searchParams.get("sessionId") ?? "")?.handlePostMessage(req, res);
    const transport = new SSEServerTransport(`http://${req.headers.host}/messages`, res);
    // The transport keeps only the path of the endpoint. This restores the origin, as other servers send it.
    const write = res.write.bind(res) as (text: string) => boolean;
    res.write = (text: string) => write(text.replace("data: /messages", `data: http://${req.headers.host}/messages`));
    transports.set(transport.sessionId, transport);
    await new McpServer({ name: "sse", version: "1.0.0" }).connect(transport as Transport);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const traffic = await recordTraffic(new URL(`${origin}/sse`));
  const client = new Client({ name: "official-client", version: "1.0.0" });
  await client.connect(new SSEClientTransport(new URL(traffic.url)) as Transport);
  await client.ping();
  await client.close();
  const comparison = await traffic.finish();
  http.closeAllConnections();
  http.close();
  const [recording] = comparison.recordings;
  expect(toLines(comparison)).toEqual([
    "GET 200 text/event-stream",
    "POST initialize 202",
    "POST notifications/initialized 202",
    "POST ping 202",
  ]);
  expect(recording?.exchanges[0]?.response?.events?.[0]).toMatchObject({
    event: "endpoint",
    data: expect.stringContaining(`${origin}/messages?sessionId=`),
  });
  expect(recording?.remarks).toEqual([expect.stringContaining("sent an absolute endpoint URL")]);
});
