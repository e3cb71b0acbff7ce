// Probes published servers and bridges over HTTP in each of their modes.
import { probe } from "lethe/probe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../processes/process-tree.ts";
import { httpServers, type RunningServer, startPublished } from "../servers/published.ts";
import { capture } from "./capture.ts";
import { descendantsOf, openSockets } from "./left-over.ts";

/**
 * Taken from the responses to plain fetch (`capture`): discover; initialize; tools/list with, without and with a foreign id.
 * HTTP+SSE answers none of that: its stream begins with `event: endpoint`.
 */
const groundTruth = {
  everything: {
    wire: "400 -32000; 200 id; 200, 400 -32000, 400 -32000",
    verdict: { word: "STATEFUL", transport: "streamable-http", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  fastmcp: {
    wire: "400 -32000; 200 id; 200, 400 -32000, 404 -32001",
    verdict: { word: "STATEFUL", transport: "streamable-http", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  fastmcpStateless: {
    wire: "400 -32000; 200; 200, 200, 200",
    verdict: { word: "STATELESS", transport: "streamable-http", modern: false, legacy: ["STATELESS", "none"] },
  },
  context7: {
    wire: "200; 200; 200, 200, 200",
    verdict: { word: "STATELESS", transport: "streamable-http", modern: true, legacy: ["STATELESS", "none"] },
  },
  playwright: {
    wire: "400 -32000; 200 id; 200, 400 -32000, 404",
    verdict: { word: "STATEFUL", transport: "streamable-http", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  // Starts the server anew for each request, so no state remains.
  supergateway: {
    wire: "404 -32601; 200; 200, 200, 200",
    verdict: { word: "STATELESS", transport: "streamable-http", modern: false, legacy: ["STATELESS", "none"] },
  },
  supergatewayStateful: {
    wire: "404 -32601; 200 id; 200, 400 -32000, 404 -32001",
    verdict: { word: "STATEFUL", transport: "streamable-http", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  // The proxy's own modern era, in front of a legacy server; its legacy era has sessions.
  proxy: {
    wire: "200; 200 id; 200, 400 -32000, 404 -32001",
    verdict: { word: "STATELESS", transport: "streamable-http", modern: true, legacy: ["STATEFUL", "enforced"] },
  },
  proxyLegacy: {
    wire: "400 -32000; 200 id; 200, 400 -32000, 404 -32001",
    verdict: { word: "STATEFUL", transport: "streamable-http", modern: false, legacy: ["STATEFUL", "enforced"] },
  },
  proxyStateless: {
    wire: "200; 200; 200, 200, 200",
    verdict: { word: "STATELESS", transport: "streamable-http", modern: true, legacy: ["STATELESS", "none"] },
  },
  fastmcpSse: { wire: "event: endpoint", verdict: sse() },
  everythingSse: { wire: "event: endpoint", verdict: sse() },
  // One transport for all clients, in a process that ends with its client, according to its source.
  everything2025Sse: { wire: "event: endpoint", verdict: sse("single-tenant"), endsWithItsClient: true },
  supergatewaySse: { wire: "event: endpoint", verdict: sse() },
  proxySse: { wire: "event: endpoint", verdict: sse() },
} satisfies Partial<Record<keyof typeof httpServers, unknown>>;

function sse(contract = "enforced") {
  return { word: "STATEFUL", transport: "http-sse", modern: false, legacy: ["STATEFUL", contract] };
}

describe.each(Object.entries(groundTruth))("%s", (name, truth) => {
  const { wire, verdict } = truth;
  const start = () => startPublished(httpServers[name as keyof typeof httpServers]);
  let server: RunningServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  it("a published HTTP server gets the expected verdict", async () => {
    const children = descendantsOf(server.pid).length;
    const sockets = openSockets();
    const report = await probe({ url: server.url }, { timeoutMs: 15_000 });
    const { modern, legacy } = report.eras;
    const found = { word: report.word, transport: report.transport, modern: modern.isSpoken };
    expect({ ...found, legacy: [legacy.word, legacy.contract] }).toEqual(verdict);
    expect(report.requests).toBeLessThanOrEqual(16);

    expect(report.leftovers).toEqual([]);
    await expect.poll(openSockets).toBeLessThanOrEqual(sockets);
    // The processes that the bridge started for the probe have ended.
    await expect.poll(() => descendantsOf(server.pid).length, { timeout: 10_000 }).toBeLessThanOrEqual(children);

    if ("endsWithItsClient" in truth) {
      await expect.poll(() => isAlive(server.pid)).toBe(false);
      server = await start();
    }
    expect(await readWire(server.url)).toBe(wire);
  });
});

async function readWire(url: string): Promise<string> {
  if (url.endsWith("/sse")) {
    const controller = new AbortController();
    const answer = await fetch(url, { headers: { accept: "text/event-stream" }, signal: controller.signal });
    const first = await answer.body?.getReader().read();
    controller.abort();
    return new TextDecoder().decode(first?.value).split("\n")[0] ?? "";
  }
  const { discover, initialize, trials, hasId } = await capture(url);
  return `${discover}; ${initialize}${hasId ? " id" : ""}; ${trials.join(", ")}`;
}
