import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PendingCalls } from "@lethe/client/edge";
import { isInputRequired, method } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import type { UpstreamConfig } from "../../config/upstream-config.ts";
import { createFakeExchange, requestOf } from "../../testing/fakes.ts";
import { createConnector } from "./open-connection.ts";

const command = (code: string): UpstreamConfig => ({
  ...{ kind: "stdio", name: "up", command: process.execPath, args: ["-e", code], env: {} },
});

describe("connecting to a command", () => {
  it("a command that hangs fails with the gateway's own message and the end of its stderr", async () => {
    const giveUp = new AbortController();
    const onStderr = () => giveUp.abort(new Error("it did not start within 9 ms"));
    const { open } = createConnector(command("console.error('proceed? (y)'); setInterval(() => {}, 1000)"), {
      onStderr,
    });
    await expect(open(giveUp.signal, undefined)).rejects.toThrow(
      /did not start within 9 ms; it last wrote:\nproceed\?/,
    );
  });

  it("a command that prints non-messages to stdout is reported once", async () => {
    const giveUp = new AbortController();
    const onWarning = vi.fn(() => giveUp.abort());
    const code = "console.log('hello'); console.log('world'); setInterval(() => {}, 1000)";
    const { open } = createConnector(command(code), { onWarning });
    await expect(open(giveUp.signal, undefined)).rejects.toMatchObject({ reason: "cancelled" });
    expect(onWarning.mock.calls).toEqual([["up", "writes to its stdout what is no message, which is skipped: hello"]]);
  });
});

it("a server over HTTP that hangs fails after the start timeout", async () => {
  const server = createServer(() => giveUp.abort(new Error("it did not start within 9 ms"))).listen(0, "127.0.0.1");
  await vi.waitUntil(() => server.listening);
  const giveUp = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { open, close } = createConnector({ kind: "http", name: "up", url, headers: {} });
  await expect(open(giveUp.signal, undefined)).rejects.toMatchObject({ reason: "cancelled" });
  close();
  server.close();
});

it("the event streams of as many sessions as the limit allows leave connections for requests", async () => {
  const streams = new Set<unknown>();
  const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "up", version: "1" } };
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      streams.add(response.writeHead(200, { "content-type": "text/event-stream" }));
      return void response.flushHeaders();
    }
    let text = "";
    for await (const part of request) text += part;
    const { id } = text === "" ? {} : JSON.parse(text);
    if (id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${streams.size}` });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }).listen(0, "127.0.0.1");
  await vi.waitUntil(() => server.listening);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const connector = createConnector({
    ...{ kind: "http", name: "up", url, headers: {} },
    ...{ era: "legacy", transport: "streamable-http", sessions: { max: 270 } },
  });
  const openOne = () => connector.open(new AbortController().signal, undefined);
  for (let session = 0; session < 270; session += 30) await Promise.all(Array.from({ length: 30 }, openOne));
  await vi.waitUntil(() => streams.size === 270);
  connector.close();
  server.closeAllConnections();
  server.close();
});

it("as many calls as may wait for their callers leave connections for the answers and for other requests", async () => {
  const waiting = 260;
  const text = { content: [{ type: "text", text: "done" }] };
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "up", version: "1" },
    },
    "tools/list": { tools: [] },
    "tools/call": text,
  };
  const asking = new Map<string, (message: object) => void>();
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { id, method: called, params } = body === "" ? ({} as never) : JSON.parse(body);
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (called !== undefined && id === undefined) return void response.writeHead(202).end();
    if (called === undefined) {
      response.writeHead(202).end();
      asking.get(id)?.(text);
    } else if (params?.name === "ask") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const question = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
      const send = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
      asking.set(`q${id}`, (result) => {
        send({ id, result });
        response.end();
      });
      send({ id: `q${id}`, method: "elicitation/create", params: question });
    } else {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[called] }));
    }
  }).listen(0, "127.0.0.1");
  await vi.waitUntil(() => server.listening);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const pendingCalls = new PendingCalls({ maxPending: waiting });
  const connector = createConnector(
    {
      ...{ kind: "http", name: "up", url, headers: {} },
      ...{ era: "legacy", transport: "streamable-http", sessions: { max: 1 } },
    },
    { pendingCalls },
  );
  const { dispatch } = await connector.open(new AbortController().signal, undefined);
  const call = (name: string) => dispatch(requestOf(method.callTool, { name }), createFakeExchange());
  const asked = await Promise.all(Array.from({ length: waiting }, () => call("ask")));
  expect(await call("other")).toMatchObject(text);
  const [first] = asked;
  if (!first || !isInputRequired(first)) throw new Error("the server did not ask");
  const answers = Object.fromEntries(Object.keys(first.inputRequests ?? {}).map((key) => [key, { action: "decline" }]));
  const resumed = pendingCalls.resume(String(first.requestState), answers, undefined);
  expect(await resumed(requestOf(method.callTool, { name: "ask" }), createFakeExchange())).toMatchObject(text);
  connector.close();
  server.closeAllConnections();
  server.close();
});

describe("connecting over HTTP without a known answer to server/discover", () => {
  async function open(answerDiscover: { status: number; body: string }, canInitialize = true) {
    const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "odd", version: "1" } };
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      const { id, method } = text === "" ? {} : JSON.parse(text);
      const json = { "content-type": "application/json" };
      if (method === "initialize" && canInitialize) {
        response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      } else if (method === "notifications/initialized") response.writeHead(202).end();
      else if (request.method === "POST") {
        response.writeHead(answerDiscover.status, json).end(answerDiscover.body.replace("ID", JSON.stringify(id)));
      } else response.writeHead(405).end();
    }).listen(0, "127.0.0.1");
    await vi.waitUntil(() => server.listening);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const connector = createConnector({ kind: "http", name: "up", url, headers: {} });
    try {
      const connection = await connector.open(AbortSignal.timeout(20_000), undefined);
      await connection.close();
      return connection.era;
    } finally {
      connector.close();
      server.closeAllConnections();
      server.close();
    }
  }

  const error = '{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"unexpected"}}';

  it.each([500, 501, 404])(
    "treats a server as legacy if it answers a JSON-RPC error under %i and serves initialize",
    async (status) => {
      expect(await open({ status, body: error })).toBe("legacy");
    },
  );

  it("probes a server that answers a page with a status under 500, and treats it as legacy if it serves initialize", async () => {
    expect(await open({ status: 500, body: "<h1>oops</h1>" })).toBe("legacy");
  });

  it("fails with the setting that names the era if a server answers only pages", async () => {
    const opening = open({ status: 500, body: "<h1>oops</h1>" }, false);
    await expect(opening).rejects.toThrow(
      'if you know what it speaks, set gateway.upstreams.up.era to "modern" or "legacy"',
    );
  });
});
