import { McpError } from "@lethe/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "../call/connection.ts";
import { TransportError } from "../call/transport-error.ts";
import { createVerdictMemory } from "../era/verdict-memory.ts";
import { createFetchSend } from "../http/fetch-send.ts";
import { type Answer, type HttpServer, sendError, sendResult, startHttpServer } from "../http/testing/http-server.ts";
import { connectHttpSse, connectStreamableHttp } from "../legacy/connect-legacy-http.ts";
import { type ConnectHttpOptions, connectHttp, type LegacyConnectors } from "./connect-http.ts";

let http: HttpServer | undefined;
afterEach(() => http?.close());

const modern = { supportedVersions: ["2026-07-28"], capabilities: {}, ttlMs: 0, cacheScope: "private" };
const oldConnection = { era: "legacy", revision: "2025-11-25" } as Connection;
const status = (code: number) => new TransportError("status", `status ${code}`, { status: code });

function legacyOf(streamable: unknown, sse: unknown = new Error("no SSE")) {
  const connect = (outcome: unknown) =>
    vi.fn(async () => {
      if (outcome instanceof Error) throw outcome;
      return outcome as Connection;
    });
  return { "streamable-http": connect(streamable), "http-sse": connect(sse) } satisfies LegacyConnectors;
}

async function connect(answer: Answer, options: ConnectHttpOptions = {}): Promise<Connection> {
  http = await startHttpServer(answer);
  return await connectHttp({ url: http.url, send: createFetchSend() }, options);
}

const plain =
  (code: number, text = "nope"): Answer =>
  (_received, response) =>
    void response.writeHead(code, { "content-type": "text/plain" }).end(text);

test("a modern server is detected with one request (D.3/3)", async () => {
  const connection = await connect((received, response) => sendResult(response, received, modern));
  expect(connection).toMatchObject({ era: "modern", revision: "2026-07-28", server: modern });
  expect(http?.received.map(({ body }) => body.method)).toEqual(["server/discover"]);
  await connection.close();
  expect(await connection.closed).toEqual({ reason: "closed by the client" });
});

test("a server with a known discover result gets no request (D-3)", async () => {
  const knownServer = { resultType: "complete", ...modern, cacheScope: "private" as const };
  const connection = await connect(plain(500), { knownServer });
  expect(connection.server).toBe(knownServer);
  expect(http?.received).toEqual([]);
});

describe("a legacy server is detected and initialized (D.3/4, D.3/5)", () => {
  test.each<[string, Answer]>([
    ["400 with plain text", plain(400)],
    ["400 with an empty body", plain(400, "")],
    ["404 with plain text", plain(404)],
    ["-32601 under 200", (received, response) => sendError(response, received, { code: -32601 }, 200)],
    ["-32000 under 400", (received, response) => sendError(response, received, { code: -32000 })],
    ["a page under 200", plain(200, "<html>")],
  ])("%s", async (_name, answer) => {
    const legacy = legacyOf(oldConnection);
    expect(await connect(answer, { legacy })).toBe(oldConnection);
    expect(legacy["http-sse"]).not.toHaveBeenCalled();
  });
});

test.each([400, 404, 405])("initialize under %i leads to HTTP+SSE (D.3/6)", async (code) => {
  const legacy = legacyOf(status(code), oldConnection);
  expect(await connect(plain(404), { legacy })).toBe(oldConnection);
});

describe("a busy, failing, protected or slow server is not downgraded (D.3/7)", () => {
  test.each<[string, Answer, object]>([
    ["401", plain(401), { reason: "unauthorized", status: 401 }],
    ["403", plain(403), { reason: "unauthorized", status: 403 }],
    ["429", plain(429), { reason: "status", status: 429 }],
    ["500", plain(500), { reason: "status", status: 500 }],
    ["502", plain(502), { reason: "status", status: 502 }],
    ["a JSON-RPC error under 503", (r, response) => sendError(response, r, { code: -32603 }, 503), { code: -32603 }],
    ["silence", () => {}, { reason: "timeout" }],
    ["a broken connection", (_received, _response, { socket }) => void socket.destroy(), { reason: "lost" }],
    ["a missing capability", (r, response) => sendError(response, r, { code: -32021 }), { code: -32021 }],
  ])("%s", async (_name, answer, expected) => {
    const legacy = legacyOf(oldConnection);
    const connectTimeoutMs = "reason" in expected && expected.reason === "timeout" ? 50 : 10_000;
    await expect(connect(answer, { legacy, connectTimeoutMs })).rejects.toMatchObject(expected);
    expect(legacy["streamable-http"]).not.toHaveBeenCalled();
  });
});

test("a JSON-RPC error under 500 decides the era and leads to an older revision", async () => {
  const legacy = legacyOf(oldConnection);
  await connect((r, response) => sendError(response, r, { code: -32603 }, 500), { legacy });
  expect(legacy["streamable-http"]).toHaveBeenCalledOnce();
});

test("a client that accepts modern servers only explains its rejection (D.2/7)", async () => {
  await expect(connect(plain(404))).rejects.toThrow(/does not speak the modern era.*status 404/);
});

test("if initialize fails too, the first failure is part of the error (D.3/9)", async () => {
  const first = /before that, server\/discover to http.*"WAF"/;
  const busy = legacyOf(status(500), oldConnection);
  await expect(connect(plain(400, "WAF"), { legacy: busy })).rejects.toThrow(first);
  expect(busy["http-sse"]).not.toHaveBeenCalled();
  await expect(connect(plain(400, "WAF"), { legacy: legacyOf(status(404)) })).rejects.toThrow(first);
  const refused = legacyOf(new McpError(-32602, "no"));
  await expect(connect(plain(400, "WAF"), { legacy: refused })).rejects.toMatchObject({ code: -32602 });
});

test("a failure that occurs twice is reported once (D.3/9)", async () => {
  const legacy: LegacyConnectors = { "streamable-http": connectStreamableHttp, "http-sse": connectHttpSse };
  const said = 'expected a JSON-RPC response, got status 404, text/plain, "nope"';
  const error: unknown = await connect(plain(404), { legacy }).catch((caught: unknown) => caught);
  expect((error as Error).message).toBe(`server/discover and initialize to ${http?.url.href}: ${said}`);
});

describe("connecting with a verdict memory", () => {
  test("a legacy server in the memory is not probed again (D.3/1)", async () => {
    const verdicts = createVerdictMemory();
    const legacy = legacyOf(status(404), oldConnection);
    await connect(plain(404), { legacy, verdicts });
    const { url, received } = http as HttpServer;
    expect(verdicts.get(url.href)).toMatchObject({ era: "legacy", transport: "http-sse" });
    await connectHttp({ url, send: createFetchSend() }, { legacy, verdicts });
    expect(received).toHaveLength(1);
    expect(legacy["streamable-http"]).toHaveBeenCalledOnce();
    expect(legacy["http-sse"]).toHaveBeenCalledTimes(2);
  });

  test("an outdated verdict is detected and replaced (D.3/1)", async () => {
    http = await startHttpServer((received, response) => sendResult(response, received, modern));
    const verdicts = createVerdictMemory();
    verdicts.set(http.url.href, { era: "legacy", revision: "2025-11-25", transport: "streamable-http" });
    const legacy = legacyOf(status(400));
    const connection = await connectHttp({ url: http.url, send: createFetchSend() }, { legacy, verdicts });
    expect(connection.era).toBe("modern");
    expect(verdicts.get(http.url.href)?.era).toBe("modern");
    await connection.close();
  });

  test("an outage does not change a verdict", async () => {
    http = await startHttpServer(plain(404));
    const verdicts = createVerdictMemory();
    verdicts.set(http.url.href, { era: "legacy", revision: "2025-11-25" });
    const legacy = legacyOf(new TransportError("unreachable", "away"));
    const connecting = connectHttp({ url: http.url, send: createFetchSend() }, { legacy, verdicts });
    await expect(connecting).rejects.toMatchObject({ reason: "unreachable" });
    expect(verdicts.get(http.url.href)?.era).toBe("legacy");
    const busy = connectHttp({ url: http.url, send: createFetchSend() }, { legacy: legacyOf(status(503)), verdicts });
    await expect(busy).rejects.toMatchObject({ reason: "status", status: 503 });
    expect(verdicts.get(http.url.href)?.era).toBe("legacy");
  });
});
