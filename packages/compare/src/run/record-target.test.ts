// Tests of recordTarget: it records the transports that the probe finds and explains the others.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createMcpServer } from "@lethe/server";
import { serve } from "@lethe/server/node";
import { afterEach, describe, expect, it } from "vitest";
import { recording } from "../testing/recordings.ts";
import { createDemoServer } from "./demo-server.ts";
import { type RecordedTarget, recordTarget } from "./record-target.ts";
import type { Target } from "./target-transports.ts";
import type { Transport } from "./transport.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serveHttp(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Records a target. Every transport connects, except those whose ids are in `closed`. */
async function record(target: Target, closed: readonly string[] = []): Promise<RecordedTarget & { done: string[] }> {
  const done: string[] = [];
  const result = await recordTarget(target, {
    async record(transport: Transport) {
      done.push(transport.id);
      const outcome = closed.includes(transport.id) ? "failed" : "done";
      const { id, title } = transport;
      return recording({ id, title, steps: [{ name: "connect", startedAt: 0, endedAt: 1, outcome, detail: "" }] });
    },
    connectTimeoutMs: 2_000,
    startTimeoutMs: 2_000,
    onProbe: () => done.push("probe"),
  });
  return { ...result, done };
}

const idsOf = (transports: readonly { id: string }[]): string[] => transports.map(({ id }) => id);

describe("recordTarget with a URL", () => {
  it("probes a server of both eras first and records every transport that the probe finds", async () => {
    const server = createDemoServer();
    const { url, close } = await serve(server, { port: 0 });
    open.push(
      () => server.close(),
      () => close({ graceMs: 0 }),
    );
    const { done, recordings, unavailable, probes } = await record({ url });
    expect(done).toEqual(["probe", "probe", "modern-http", "legacy-http", "probe", "http-sse"]);
    expect(idsOf(recordings)).toEqual(["modern-http", "legacy-http", "http-sse"]);
    expect(unavailable).toEqual([]);
    expect(probes.map(({ transport }) => transport)).toEqual(["streamable-http"]);
  });

  it.each([
    ["/sse", ["modern-http", "legacy-http", "http-sse"], []],
    ["/other", ["modern-http", "legacy-http"], [{ id: "http-sse", reason: expect.stringContaining("not tried") }]],
  ])("looks for HTTP+SSE at %s only if the path ends in /sse", async (path, taken, unavailable) => {
    const server = createDemoServer();
    const { url, close } = await serve(server, { port: 0, path });
    open.push(
      () => server.close(),
      () => close({ graceMs: 0 }),
    );
    const result = await record({ url });
    expect(idsOf(result.recordings)).toEqual(taken);
    expect(result.unavailable).toMatchObject(unavailable);
  });

  it("lists the legacy transports of a modern server as unavailable, with the probe's reason", async () => {
    const server = createMcpServer({ name: "x", version: "1" }, { legacy: { sessions: "off" } });
    const { url, close } = await serve(server, { port: 0 });
    open.push(
      () => server.close(),
      () => close({ graceMs: 0 }),
    );
    const { recordings, unavailable } = await record({ url });
    expect(idsOf(recordings)).toEqual(["modern-http"]);
    expect(unavailable).toMatchObject([
      { id: "legacy-http", reason: expect.stringContaining("initialize was refused"), evidence: ["probe #4"] },
      { id: "http-sse", reason: `no event stream with an endpoint event at ${url.replace("/mcp", "/sse")}` },
    ]);
  });

  it("records a legacy server before the full probe, because it may accept only one session", async () => {
    let sessions = 0;
    const url = await serveHttp(async (req, res) => {
      const text = await new Response(req as never).text();
      const { id, method } = (text === "" ? {} : JSON.parse(text)) as { id?: number; method?: string };
      if (method === "initialize") sessions += 1;
      res.writeHead(method === "initialize" && sessions === 1 ? 200 : 400, { "content-type": "application/json" });
      res.end(JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code: -32600, message: "no" } }));
    });
    const { done, recordings, unavailable } = await record({ url });
    expect(done.slice(0, 3)).toEqual(["probe", "legacy-http", "probe"]);
    expect(idsOf(recordings)).toEqual(["legacy-http"]);
    expect(recordings[0]?.remarks).toEqual([expect.stringContaining("accepted no further session")]);
    expect(idsOf(unavailable)).toEqual(["modern-http", "http-sse"]);
  });

  it("probes an unreachable server once and records nothing", async () => {
    const { done, unavailable, probes } = await record({ url: "http://127.0.0.1:1/mcp" });
    expect(done).toEqual(["probe"]);
    expect(unavailable).toHaveLength(3);
    expect(unavailable[2]).toMatchObject({
      id: "http-sse",
      reason: expect.stringMatching(/ECONNREFUSED.*check that it runs/),
    });
    expect(probes).toHaveLength(1);
  });

  it("reports missing credentials for every transport", async () => {
    const url = await serveHttp((_req, res) => res.writeHead(401).end());
    const { recordings, unavailable } = await record({ url }, ["legacy-http"]);
    expect(recordings).toEqual([]);
    expect(unavailable.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("401; give credentials"),
      expect.stringContaining("401; give credentials"),
      expect.stringContaining("no event stream"),
    ]);
  });

  it("masks given secrets in the probe reports", async () => {
    const url = await serveHttp((req, res) => res.writeHead(400).end(`you said ${req.headers["x-any"]} and s3cret-2`));
    const { probes } = await recordTarget(
      { url, headers: { "x-any": "s3cret-1" } },
      { record: async () => recording({}), connectTimeoutMs: 2_000, startTimeoutMs: 2_000, secrets: ["s3cret-2"] },
    );
    expect(JSON.stringify(probes)).toContain("you said ***");
    expect(JSON.stringify(probes)).not.toContain("s3cret-");
  });
});

it("recordTarget probes a command in separate processes and skips an unsupported era", async () => {
  const program = `
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "1" } };
      const answer = method === "initialize" ? { result } : { error: { code: -32601, message: "no" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`;
  const { done, unavailable } = await record({ command: process.execPath, args: ["-e", program] });
  expect(done).toEqual(["probe", "legacy-stdio"]);
  expect(unavailable).toMatchObject([
    { id: "modern-stdio", reason: "not supported: server/discover was refused: error -32601", evidence: ["probe #1"] },
  ]);
});

it("recordTarget starts a missing command only for the probe", async () => {
  const { done, unavailable } = await record({ command: "/no/such/program" });
  expect(done).toEqual(["probe"]);
  expect(unavailable).toMatchObject([{ reason: expect.stringContaining("ENOENT") }, { reason: expect.any(String) }]);
});
