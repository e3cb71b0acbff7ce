// The transports of a target: what the probe finds is recorded, what it does not find is told with its evidence.
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

/** With transports that all can be taken, except those whose ids are in `closed`. */
async function record(target: Target, closed: readonly string[] = []): Promise<RecordedTarget & { done: string[] }> {
  const done: string[] = [];
  const result = await recordTarget(target, {
    async take(transport: Transport) {
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

describe("a server at a URL", () => {
  it("that is modern and more: probed first, and every transport that the probe finds is taken", async () => {
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
    ["/other", ["modern-http", "legacy-http"], [{ id: "http-sse", reason: expect.stringContaining("not looked for") }]],
  ])("at %s that takes a POST: a stream is looked for where the address says so", async (path, taken, unavailable) => {
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

  it("that is modern only: the others are unavailable, and the probe says why", async () => {
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
      { id: "http-sse", reason: `no event stream that names an endpoint at ${url.replace("/mcp", "/sse")}` },
    ]);
  });

  it("that knows older revisions only is recorded before it is probed: it may have one session to give", async () => {
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
    expect(recordings[0]?.remarks).toEqual([expect.stringContaining("gave out no other session")]);
    expect(idsOf(unavailable)).toEqual(["modern-http", "http-sse"]);
  });

  it("that is not there is asked once, and no transport is tried", async () => {
    const { done, unavailable, probes } = await record({ url: "http://127.0.0.1:1/mcp" });
    expect(done).toEqual(["probe"]);
    expect(unavailable).toHaveLength(3);
    expect(unavailable[2]).toMatchObject({
      id: "http-sse",
      reason: expect.stringMatching(/ECONNREFUSED.*check that it runs/),
    });
    expect(probes).toHaveLength(1);
  });

  it("that wants credentials says so for every transport", async () => {
    const url = await serveHttp((_req, res) => res.writeHead(401).end());
    const { recordings, unavailable } = await record({ url }, ["legacy-http"]);
    expect(recordings).toEqual([]);
    expect(unavailable.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("401; give credentials"),
      expect.stringContaining("401; give credentials"),
      expect.stringContaining("no event stream"),
    ]);
  });

  it("a secret that was given is in no report of the probe", async () => {
    const url = await serveHttp((req, res) => res.writeHead(400).end(`you said ${req.headers["x-any"]} and s3cret-2`));
    const { probes } = await recordTarget(
      { url, headers: { "x-any": "s3cret-1" } },
      { take: async () => recording({}), connectTimeoutMs: 2_000, startTimeoutMs: 2_000, secrets: ["s3cret-2"] },
    );
    expect(JSON.stringify(probes)).toContain("you said ***");
    expect(JSON.stringify(probes)).not.toContain("s3cret-");
  });
});

it("a command is probed in processes of their own, and a transport that is not spoken is not tried", async () => {
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
    { id: "modern-stdio", reason: "not spoken: server/discover was refused: error -32601", evidence: ["probe #1"] },
  ]);
});

it("a command that is not there is started for the probe only", async () => {
  const { done, unavailable } = await record({ command: "/no/such/program" });
  expect(done).toEqual(["probe"]);
  expect(unavailable).toMatchObject([{ reason: expect.stringContaining("ENOENT") }, { reason: expect.any(String) }]);
});
