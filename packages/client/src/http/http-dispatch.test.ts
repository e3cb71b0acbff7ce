import { type Exchange, type JsonRpcNotification, type ModernRequest, metaKey } from "@lethe/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRequestBuilder } from "../call/build-request.ts";
import { type CallExchangeOptions, createExchange } from "../call/exchange.ts";
import { createNodeSend } from "../node/http-send.ts";
import { createFetchSend } from "./fetch-send.ts";
import { createHttpDispatch, type HttpDispatch } from "./http-dispatch.ts";
import type { HttpOptions } from "./http-options.ts";
import type { HttpSend } from "./http-send.ts";
import { createGate } from "./testing/gate.ts";
import {
  type Answer,
  type HttpServer,
  openStream,
  sendError,
  sendResult,
  startHttpServer,
} from "./testing/http-server.ts";

const plainExchange = createExchange({});

const revision = "2026-07-28";
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const senders: [name: string, create: () => HttpSend][] = [
  [
    "undici",
    () => {
      const { send, close } = createNodeSend();
      closers.push(close);
      return send;
    },
  ],
  ["fetch", () => createFetchSend()],
];

test("only a subscription is sent as a request whose response lasts", async () => {
  const sent = new Map<string | undefined, boolean | undefined>();
  const send: HttpSend = async ({ headers, isLasting }) => {
    sent.set(headers["mcp-method"], isLasting);
    throw new Error("down");
  };
  const { dispatch } = createHttpDispatch(new URL("http://127.0.0.1/mcp"), send);
  const { build } = createRequestBuilder({ capabilities: {}, revision });
  for (const name of ["subscriptions/listen", "tools/list"]) {
    await dispatch(build(name, { notifications: {} }), plainExchange).catch(() => {});
  }
  expect([...sent]).toEqual([
    ["subscriptions/listen", true],
    ["tools/list", false],
  ]);
});

describe.each(senders)("over %s", (_name, createSend) => {
  async function start(answer: Answer, options?: HttpOptions): Promise<{ http: HttpServer; client: HttpDispatch }> {
    const http = await startHttpServer(answer);
    closers.push(() => http.close());
    const client = createHttpDispatch(http.url, createSend(), options);
    closers.push(() => client.close());
    return { http, client };
  }

  function request(method: string, params: Record<string, unknown> = {}): ModernRequest {
    return createRequestBuilder({ capabilities: {}, revision }).build(method, params);
  }

  const call = (args: Record<string, unknown> = {}) => request("tools/call", { name: "t", arguments: args });

  async function failure(client: HttpDispatch, sent = call(), options: CallExchangeOptions = {}): Promise<unknown> {
    return await client.dispatch(sent, createExchange(options)).then(
      (result) => Promise.reject(new Error(`no failure but ${JSON.stringify(result)}`)),
      (error: unknown) => error,
    );
  }

  test("a request is one POST with its metadata as headers (B-70, B-74)", async () => {
    const { http, client } = await start((received, response) => sendResult(response, received, { content: [] }));
    expect(await client.dispatch(call(), plainExchange)).toEqual({ resultType: "complete", content: [] });
    expect(http.received[0]?.headers).toMatchObject({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": revision,
      "mcp-method": "tools/call",
      "mcp-name": "t",
    });
    expect(http.received[0]?.body).toMatchObject({ jsonrpc: "2.0", id: 1, method: "tools/call" });
  });

  test("headers of the host are sent, and cannot override those of the protocol", async () => {
    const { http, client } = await start((received, response) => sendResult(response, received, {}), {
      headers: async () => ({ authorization: "Bearer x" }),
    });
    await client.dispatch(call(), plainExchange);
    expect(http.received[0]?.headers.authorization).toBe("Bearer x");
    for (const name of ["Mcp-Method", "Host", "Expect", "Keep-Alive", "Upgrade"]) {
      const problem = new TypeError(`the header ${name} cannot be set: the protocol decides on it`);
      expect(() => createHttpDispatch(http.url, createSend(), { headers: { [name]: "x" } })).toThrow(problem);
    }
  });

  test("an event stream delivers notifications and then the result (B-70)", async () => {
    const { client } = await start(({ body }, response) => {
      const stream = openStream(response);
      stream.message({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
      response.write(": a comment\n\nevent: unknown\ndata: x\n\nevent: message\ndata:\n\n");
      stream.message({ jsonrpc: "2.0", id: body.id, result: { resultType: "complete", content: [] } });
      stream.end();
    });
    const heard: JsonRpcNotification[] = [];
    const exchange = createExchange({ onNotification: (notification) => heard.push(notification) });
    expect(await client.dispatch(call(), exchange)).toEqual({ resultType: "complete", content: [] });
    expect(heard.map(({ method }) => method)).toEqual(["notifications/progress"]);
  });

  test("the socket of a finished stream serves the next request", async () => {
    const { http, client } = await start(({ body }, response) => {
      const stream = openStream(response);
      stream.message({ jsonrpc: "2.0", id: body.id, result: {} });
      stream.end();
    });
    for (let i = 0; i < 5; i++) await client.dispatch(call(), plainExchange);
    expect(await http.sockets()).toBeLessThanOrEqual(2);
  });

  test("a stream that ends without a response has lost the request (J-49)", async () => {
    const { client } = await start((_received, response) => openStream(response).end());
    expect(await failure(client)).toMatchObject({
      reason: "lost",
      message: expect.stringMatching(/tools\/call to http:/),
    });
  });

  test("a stream's response with another id is rejected (J-49)", async () => {
    const { client } = await start((_received, response) => {
      openStream(response).message({ jsonrpc: "2.0", id: 77, result: {} });
    });
    expect(await failure(client)).toMatchObject({ reason: "invalid", message: expect.stringContaining("77") });
  });

  test("an endless event is aborted at the limit", async () => {
    const { client } = await start(
      (_received, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const timer = setInterval(() => response.write(`data: ${"x".repeat(10_000)}`), 1);
        response.on("close", () => clearInterval(timer));
      },
      { maxEventBytes: 100_000 },
    );
    expect(await failure(client)).toMatchObject({
      reason: "too_large",
      message: expect.stringContaining("tools/call"),
    });
  });

  test("an endless body is aborted at the limit", async () => {
    const { client } = await start(
      (_received, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const timer = setInterval(() => response.write(" ".repeat(10_000)), 1);
        response.on("close", () => clearInterval(timer));
      },
      { maxBodyBytes: 100_000 },
    );
    expect(await failure(client)).toMatchObject({
      reason: "too_large",
      message: expect.stringContaining("tools/call"),
    });
  });

  test("inactivity ends a request on time and on the wire (E-36, B-72)", async () => {
    const closed = createGate();
    const { client } = await start((_received, response) => void response.on("close", closed.open), {
      // Long enough for the request to arrive, also on a busy machine: else there is nothing to end.
      timeoutMs: 250,
    });
    expect(await failure(client)).toMatchObject({ reason: "timeout", message: expect.stringContaining("250 ms") });
    await closed.opened;
  });

  test("an endless stream is aborted at the total time limit (E-36)", async () => {
    const { client } = await start((_received, response) => {
      const stream = openStream(response);
      const note = { jsonrpc: "2.0", method: "notifications/progress", params: {} };
      const timer = setInterval(() => stream.message(note), 5);
      response.on("close", () => clearInterval(timer));
    });
    const error = await failure(client, call(), { limits: { timeoutMs: 60_000, maxTotalMs: 50 } });
    expect(error).toMatchObject({ reason: "timeout", message: expect.stringContaining("50 ms") });
  });

  test("the caller's signal cancels on the wire (B-72)", async () => {
    const closed = createGate();
    const controller = new AbortController();
    const { client } = await start((_received, response) => {
      openStream(response).message({ jsonrpc: "2.0", method: "notifications/progress", params: {} });
      response.on("close", closed.open);
    });
    const onNotification = () => controller.abort("enough");
    const error = await failure(client, call(), { signal: controller.signal, onNotification });
    expect(error).toMatchObject({ reason: "cancelled", cause: "enough" });
    await closed.opened;
  });

  test("an already aborted signal sends nothing", async () => {
    const { http, client } = await start((received, response) => sendResult(response, received, {}));
    expect(await failure(client, call(), { signal: AbortSignal.abort() })).toMatchObject({ reason: "cancelled" });
    expect(http.received).toEqual([]);
  });

  test("closing cancels open requests and rejects later ones", async () => {
    const { client } = await start(() => client.close());
    expect(await failure(client)).toMatchObject({ reason: "closed" });
    expect(await failure(client)).toMatchObject({ reason: "closed" });
    expect(await client.closed).toEqual({ reason: "closed by the client" });
  });

  test("a redirect is rejected, and its target receives nothing", async () => {
    const other = await startHttpServer((received, response) => sendResult(response, received, {}));
    closers.push(() => other.close());
    const { client } = await start(
      (_received, response) => void response.writeHead(307, { location: other.url.href }).end(),
    );
    const error = await failure(client);
    expect(error).toMatchObject({ reason: "redirect", status: 307, message: expect.stringContaining(other.url.href) });
    expect(other.received).toEqual([]);
  });

  test("a server that does not listen is unreachable", async () => {
    const { http, client } = await start(() => {});
    await http.close();
    expect(await failure(client)).toMatchObject({ reason: "unreachable" });
  });

  test("a call is lost if its socket breaks", async () => {
    const { http, client } = await start((_received, _response, { socket }) => void socket.destroy());
    expect(await failure(client)).toMatchObject({ reason: "lost" });
    expect(http.received).toHaveLength(1);
  });

  test("a request without side effects is repeated once if its response was lost (B-73)", async () => {
    const { http, client } = await start((_received, _response, { socket }) => void socket.destroy());
    expect(await failure(client, request("tools/list"))).toMatchObject({ reason: "lost" });
    expect(http.received.map(({ body }) => body.id)).toEqual([1, 2]);
  });

  test("a busy server gets one more request after the time that it names", async () => {
    const { http, client } = await start((received, response) => {
      if (http.received.length === 1) response.writeHead(503, { "retry-after": "0" }).end("busy");
      else sendResult(response, received, { content: [] });
    });
    expect(await client.dispatch(call(), plainExchange)).toMatchObject({ content: [] });
    expect(http.received.map(({ body }) => body.id)).toEqual([1, 2]);
  });

  test("a server that stays busy gets no third request", async () => {
    const { http, client } = await start((_received, response) => {
      response.writeHead(429, { "retry-after": "0", "content-type": "text/plain" }).end("slow down");
    });
    expect(await failure(client)).toMatchObject({ reason: "status", status: 429, retryAfterMs: 0 });
    expect(http.received).toHaveLength(2);
  });

  test("a timeout of the request after a busy response keeps the reason that the server gave", async () => {
    const { client } = await start(
      (received, response) => {
        if (received.body.id !== 1) return;
        response.setHeader("retry-after", "0");
        sendError(response, received, { code: -32603, message: "the index is being rebuilt" }, 503);
      },
      { timeoutMs: 300 },
    );
    const error = await failure(client);
    expect(error).toMatchObject({ reason: "timeout", cause: { code: -32603, message: "the index is being rebuilt" } });
    expect(String(error)).toMatch(/silence for 300 ms; it was busy before: the index is being rebuilt$/);
  });

  test("a retry that would start after the deadline is not attempted", async () => {
    const { http, client } = await start(
      (_received, response) => void response.writeHead(503, { "retry-after": "3600" }).end(),
    );
    expect(await failure(client)).toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(http.received).toHaveLength(1);
  });

  test("a rejected version is replaced once by an offered one, even if it is the same (J-22, J-24)", async () => {
    const { http, client } = await start((received, response) => {
      if (http.received.length > 1) return sendResult(response, received, { content: [] });
      sendError(response, received, { code: -32022, data: { supported: [revision], requested: revision } });
    });
    const old = call();
    const params = { ...old.params, _meta: { ...old.params._meta, [metaKey.protocolVersion]: "2026-01-01" } };
    expect(await client.dispatch({ ...old, params }, plainExchange)).toMatchObject({ content: [] });
    expect(http.received.map(({ headers }) => headers["mcp-protocol-version"])).toEqual(["2026-01-01", revision]);
  });

  test("a message of a later revision is sent as it is, and never repeated in another revision", async () => {
    const { http, client } = await start((received, response) => {
      if (http.received.length === 1) return sendResult(response, received, { resultType: "hologram", light: 1 });
      sendError(response, received, { code: -32022, data: { supported: [revision], requested: "2099-01-01" } });
    });
    const { params, ...rest } = call();
    const _meta = { ...params._meta, [metaKey.protocolVersion]: "2099-01-01" };
    const later = { ...rest, params: { ...params, _meta } };
    expect(await client.dispatch(later, plainExchange)).toEqual({ resultType: "hologram", light: 1 });
    await expect(client.dispatch(later, plainExchange)).rejects.toMatchObject({ code: -32022 });
    expect(http.received.map(({ headers }) => headers["mcp-protocol-version"])).toEqual(["2099-01-01", "2099-01-01"]);
  });

  test("a version that is rejected again is an error", async () => {
    const { http, client } = await start((received, response) => {
      sendError(response, received, { code: -32022, data: { supported: [revision], requested: revision } });
    });
    expect(await failure(client)).toMatchObject({ code: -32022 });
    expect(http.received).toHaveLength(2);
  });

  const annotated = {
    name: "t",
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
  };
  const broken = {
    name: "b",
    inputSchema: { type: "object", properties: { n: { type: "number", "x-mcp-header": "N" } } },
  };

  test("a tool with an invalid annotation is removed from its list, with a warning that names it (B-53)", async () => {
    const onWarning = vi.fn();
    const { client } = await start(
      (received, response) => sendResult(response, received, { tools: [annotated, broken] }),
      { onWarning },
    );
    expect((await client.dispatch(request("tools/list"), plainExchange)).tools).toEqual([annotated]);
    expect(onWarning).toHaveBeenCalledWith(expect.stringContaining('"b"'));
  });

  test("annotated arguments are sent as headers once the tool was listed (B-74)", async () => {
    const { http, client } = await start((received, response) =>
      sendResult(response, received, { tools: [annotated] }),
    );
    await client.dispatch(call({ region: "é" }), plainExchange);
    await client.dispatch(request("tools/list"), plainExchange);
    await client.dispatch(call({ region: "é" }), plainExchange);
    await client.dispatch(call({}), plainExchange);
    const sent = http.received.map(({ headers }) => headers["mcp-param-region"]);
    expect(sent).toEqual([undefined, undefined, "=?base64?w6k=?=", undefined]);
  });

  test("after a header mismatch all pages of tools are listed again, and the call is repeated once (B-75, J-24)", async () => {
    const { http, client } = await start((received, response) => {
      const { method, params } = received.body;
      if (method === "tools/call" && received.headers["mcp-param-region"] !== "eu") {
        return sendError(response, received, { code: -32020 });
      }
      if (method === "tools/list" && params.cursor === undefined) {
        return sendResult(response, received, { tools: [], nextCursor: "" });
      }
      sendResult(response, received, method === "tools/list" ? { tools: [annotated] } : { content: [] });
    });
    expect(await client.dispatch(call({ region: "eu" }), plainExchange)).toMatchObject({ content: [] });
    const methods = http.received.map(({ body }) => `${body.id} ${body.method}`);
    expect(methods).toEqual(["1 tools/call", "2 tools/list", "3 tools/list", "4 tools/call"]);
  });

  test("a header mismatch that persists is an error after one retry (J-24)", async () => {
    const { http, client } = await start((received, response) => {
      if (received.body.method === "tools/list") return sendResult(response, received, { tools: [] });
      sendError(response, received, { code: -32020 });
    });
    expect(await failure(client)).toMatchObject({ code: -32020 });
    expect(http.received).toHaveLength(3);
  });

  test("notifications of a subscription carry the sender's id, even if the id on the wire differs (A-37)", async () => {
    const { http, client } = await start((received, response) => {
      const { id, method } = received.body;
      if (method !== "subscriptions/listen") return sendResult(response, received, {});
      const stream = openStream(response);
      const tag = { [metaKey.subscriptionId]: id };
      stream.message({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta: tag } });
      stream.message({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta: tag } });
    });
    await client.dispatch(call(), plainExchange);
    const heard: JsonRpcNotification[] = [];
    const exchange = createExchange({ onNotification: (notification) => heard.push(notification) });
    const listen = { ...request("subscriptions/listen", { notifications: {} }), id: "mine" };
    const result = await client.dispatch(listen, exchange);
    expect(http.received[1]?.body.id).toBe(2);
    expect(heard[0]?.params?._meta).toEqual({ [metaKey.subscriptionId]: "mine" });
    expect(result._meta).toEqual({ [metaKey.subscriptionId]: "mine" });
  });

  test("a slow reader holds the stream back", async () => {
    const drained = createGate();
    const { client } = await start(({ body }, response) => {
      const message = (value: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...value })}\n\n`;
      const note = message({ method: "notifications/progress", params: {} });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(note + note + message({ id: body.id, result: {} }));
    });
    let heard = 0;
    let heardInTime = 0;
    const slow: Exchange = {
      signal: new AbortController().signal,
      caller: undefined,
      notify() {
        heard += 1;
        if (heard === 1) {
          setImmediate(() => {
            heardInTime = heard;
            drained.open();
          });
        }
        return false;
      },
      drained: () => drained.opened,
    };
    expect(await client.dispatch(call(), slow)).toEqual({ resultType: "complete" });
    expect([heardInTime, heard]).toEqual([1, 2]);
  });
});
