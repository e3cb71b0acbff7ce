// Legacy sessions over streamable HTTP (D-33 to D-37), behind the core contract.
import type { InputRequiredResult, JsonObject } from "@lethe/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNodeSend } from "../node/http-send.ts";
import { connectStreamableHttp, type LegacyHttpOptions } from "./connect-legacy-http.ts";
import { isSessionLost } from "./session-wire.ts";
import {
  type FakeHttpServer,
  type HttpEvent,
  type OnHttp,
  openStream,
  sendEvent,
  sendJson,
  startFakeHttpServer,
} from "./testing/fake-http-server.ts";
import { createFakeExchange, type FakeExchange, modernRequest } from "./testing/fake-legacy-server.ts";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function connected(onHttp?: OnHttp, options: LegacyHttpOptions = {}) {
  const server = await startFakeHttpServer(onHttp);
  const { send, close } = createNodeSend();
  cleanups.push(server.close, close);
  const connection = await connectStreamableHttp({ url: server.url, send }, { onWarning: () => {}, ...options });
  cleanups.push(connection.close);
  const ask = (method: string, params?: JsonObject, exchange: FakeExchange = createFakeExchange()) =>
    connection.dispatch(modernRequest(method, params, { progressToken: "p" }), exchange);
  return { server, connection, ask };
}

const isCall = ({ body }: HttpEvent) => body?.method === "tools/call";
const callsOf = ({ events }: FakeHttpServer) => events.filter(isCall).length;
const done = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } }) as never;
const until = (claim: () => unknown) => vi.waitFor(() => expect(claim()).toBeTruthy(), { timeout: 4_000, interval: 5 });

describe("a call that did not start", () => {
  const away: OnHttp = (event, server) => {
    if (!isCall(event) || callsOf(server) > 2) return false;
    const data = { reason: "unavailable", retryAfterMs: 1 };
    sendJson(event.response, {
      jsonrpc: "2.0",
      id: event.body.id,
      error: { code: -32603, message: "away", data },
    } as never);
    return true;
  };

  it("is sent again if the connection has retries", async () => {
    const onHttp: OnHttp = (event, server) => {
      if (away(event, server)) return true;
      if (!isCall(event)) return false;
      sendJson(event.response, done(event.body.id));
      return true;
    };
    const { server, ask } = await connected(onHttp, { retries: {} });
    expect(await ask("tools/call", { name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    expect(callsOf(server)).toBe(3);
  });

  it("fails by default", async () => {
    const { server, ask } = await connected(away);
    await expect(ask("tools/call", { name: "t" })).rejects.toMatchObject({ data: { reason: "unavailable" } });
    expect(callsOf(server)).toBe(1);
  });
});

describe("Streamable HTTP sessions", () => {
  it("sends the session id and the revision with every request after the handshake (D-33, D-37)", async () => {
    const { server, ask, connection } = await connected();
    await ask("tools/list");
    await until(() => server.streams.length === 1);
    expect(connection.isStateful).toBe(true);
    await connection.close();
    const named = server.events.map(({ method, body, headers }) => [
      body?.method ?? method,
      headers["mcp-session-id"],
      headers["mcp-protocol-version"],
    ]);
    expect(named[0]).toEqual(["initialize", undefined, undefined]);
    expect(
      named
        .slice(1)
        .map(([what]) => what)
        .toSorted(),
    ).toEqual(["DELETE", "GET", "notifications/initialized", "tools/list"]);
    expect(named.slice(1).every(([, id, revision]) => id === "s1" && revision === "2025-11-25")).toBe(true);
  });

  it("works without a session: sends no session id and no DELETE", async () => {
    const { server, connection } = await connected(({ body, method, response }) => {
      if (body?.method === "initialize") {
        sendJson(response, {
          jsonrpc: "2.0",
          id: body.id,
          result: { protocolVersion: "2025-03-26", capabilities: {} },
        });
      } else response.writeHead(method === "GET" ? 405 : 202).end();
      return true;
    });
    expect(connection.isStateful).toBe(false);
    await connection.close();
    expect(server.events.some(({ method }) => method === "DELETE")).toBe(false);
    expect(server.events.some(({ headers }) => "mcp-session-id" in headers || "mcp-protocol-version" in headers)).toBe(
      false,
    );
  });

  it("sends the configured headers", async () => {
    const { server, ask } = await connected(undefined, { headers: { authorization: "Bearer t" } });
    await ask("tools/list");
    await until(() => server.streams.length === 1);
    expect(server.events.every(({ headers }) => headers.authorization === "Bearer t")).toBe(true);
  });
});

describe("responses", () => {
  it("accepts a response stream with notifications first (D-36)", async () => {
    const { ask } = await connected((event) => {
      if (!isCall(event)) return false;
      const stream = openStream(event.response);
      const params = { progressToken: event.body.id, progress: 1 } as JsonObject;
      sendEvent(stream, { jsonrpc: "2.0", method: "notifications/progress", params });
      sendEvent(stream, done(event.body.id));
      return true;
    });
    const exchange = createFakeExchange();
    expect(await ask("tools/call", { name: "t" }, exchange)).toMatchObject({ content: [{ text: "done" }] });
    expect(exchange.notes.map(({ params }) => params)).toEqual([{ progressToken: "p", progress: 1 }]);
  });

  it("accepts an array of several messages as a response (D-31)", async () => {
    const { ask } = await connected((event) => {
      if (isCall(event)) sendJson(event.response, [{ jsonrpc: "2.0", method: "x/y" }, done(event.body.id)]);
      return isCall(event);
    });
    expect(await ask("tools/call", { name: "t" })).toMatchObject({ content: [{ text: "done" }] });
  });

  it.each([
    [
      "a JSON-RPC error under 400",
      400,
      { jsonrpc: "2.0", id: 2, error: { code: -32602, message: "m" } },
      { code: -32602 },
    ],
    ["an error without id", 400, { jsonrpc: "2.0", id: null, error: { code: -32600, message: "m" } }, { code: -32600 }],
    ["no JSON-RPC at all", 502, { oops: true }, { reason: "status", status: 502 }],
    ["401", 401, {}, { reason: "unauthorized", status: 401 }],
    ["another id", 200, { jsonrpc: "2.0", id: 99, result: {} }, { reason: "invalid" }],
    ["nonsense", 200, "what?", { reason: "invalid" }],
  ])("reports a response that is %s (J-49)", async (_, status, body, expected) => {
    const { ask } = await connected((event) => {
      if (isCall(event)) sendJson(event.response, body, status);
      return isCall(event);
    });
    await expect(ask("tools/call", { name: "t" })).rejects.toMatchObject(expected);
  });
});

describe("interrupted response streams", () => {
  /** Primes the stream of a call and ends it; the resumed stream gets the rest. */
  function breaking(rest: (event: HttpEvent, attempt: number) => void): OnHttp {
    let attempts = 0;
    return (event) => {
      if (isCall(event)) {
        openStream(event.response).end("id: e1\nretry: 5\ndata:\n\n");
        return true;
      }
      if (event.headers["last-event-id"] === undefined) return false;
      rest(event, ++attempts);
      return true;
    };
  }

  it("resumes an interrupted stream by GET after the retry time of the server, repeatedly if necessary (D-35)", async () => {
    const { server, ask } = await connected(
      breaking(({ response, headers }, attempt) => {
        const stream = openStream(response);
        if (attempt < 3) stream.end(`id: e${attempt + 1}\ndata:\n\n`);
        else sendEvent(stream, done(headers["last-event-id"] === "e3" ? 2 : 0));
      }),
    );
    expect(await ask("tools/call", { name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    expect(callsOf(server)).toBe(1);
  });

  it("resumes a stream after a short outage, but not if the server no longer knows it", async () => {
    const statuses = [503, 404];
    const { server, ask } = await connected(
      breaking(({ response, body }, attempt) => {
        if (attempt === 2) sendEvent(openStream(response), done(2));
        else response.writeHead(statuses.shift() ?? 500).end(body);
      }),
    );
    expect(await ask("tools/call", { name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    await expect(ask("tools/call", { name: "t" })).rejects.toMatchObject({ reason: "lost" });
    expect(callsOf(server)).toBe(2);
  });

  it("rejects a call as lost when its stream cannot be resumed, and does not repeat it", async () => {
    const { server, ask } = await connected((event) => {
      if (isCall(event)) openStream(event.response).end();
      return isCall(event);
    });
    await expect(ask("tools/call", { name: "t" })).rejects.toMatchObject({ reason: "lost" });
    expect(callsOf(server)).toBe(1);
  });

  it("repeats a lost request that only reads or calls an idempotent tool", async () => {
    let isBroken = true;
    const tools = [
      { name: "safe", annotations: { readOnlyHint: true } },
      { name: "same", annotations: { idempotentHint: true } },
    ];
    const { server, ask } = await connected((event) => {
      const name = event.body?.params?.name ?? event.body?.method;
      if (name === "tools/list") sendJson(event.response, { jsonrpc: "2.0", id: event.body.id, result: { tools } });
      else if (!isCall(event) && event.body?.method !== "resources/read") return false;
      else if (isBroken) openStream(event.response).end();
      else sendJson(event.response, done(event.body.id));
      if (name !== "tools/list") isBroken = !isBroken;
      return true;
    });
    await ask("tools/list");
    for (const name of ["safe", "same"]) expect(await ask("tools/call", { name })).toMatchObject({ content: [{}] });
    expect(await ask("resources/read", { uri: "a:b" })).toMatchObject({ resultType: "complete" });
    expect(callsOf(server)).toBe(4);
    await expect(ask("tools/call", { name: "other" })).rejects.toMatchObject({ reason: "lost" });
    expect(callsOf(server)).toBe(5);
    isBroken = true;
    // The user's consent was for one call (E-24).
    const agreed = ask("tools/call", { name: "safe", inputResponses: { url1: { action: "accept" } } });
    await expect(agreed).rejects.toMatchObject({ reason: "lost" });
    expect(callsOf(server)).toBe(6);
  });

  it("a repeated request has a new id, because a session may use each id once", async () => {
    const bodies: { id: unknown; token: unknown }[] = [];
    const { ask } = await connected(({ body, response }) => {
      if (body?.method !== "resources/read") return false;
      bodies.push({ id: body.id, token: (body.params?._meta as JsonObject | undefined)?.progressToken });
      if (bodies.length === 1) openStream(response).end();
      else sendJson(response, done(body.id));
      return true;
    });
    expect(await ask("resources/read", { uri: "a:b" })).toMatchObject({ resultType: "complete" });
    expect(bodies).toHaveLength(2);
    expect(bodies[1]?.id).not.toBe(bodies[0]?.id);
    expect(bodies[1]?.token).toBe(bodies[1]?.id);
  });

  it("does not repeat a lost call that has sent an input request, regardless of the tool's annotations", async () => {
    const tools = [{ name: "safe", annotations: { readOnlyHint: true } }];
    const { server, ask } = await connected((event) => {
      if (event.body?.method === "tools/list")
        sendJson(event.response, { jsonrpc: "2.0", id: event.body.id, result: { tools } });
      else if (isCall(event)) sendEvent(openStream(event.response), { jsonrpc: "2.0", id: "q", method: "roots/list" });
      else return false;
      return true;
    });
    await ask("tools/list");
    const { requestState } = await ask("tools/call", { name: "safe" });
    server.events.find(isCall)?.response.end();
    const inputResponses = { q1: { roots: [] } };
    const retry = ask("tools/call", { name: "safe", requestState, inputResponses });
    await expect(retry).rejects.toMatchObject({ reason: "lost" });
    expect(callsOf(server)).toBe(1);
  });
});

describe("expired sessions", () => {
  it("starts a new session and repeats the rejected request (D-33)", async () => {
    const { server, ask } = await connected((event) => {
      if (isCall(event) && event.headers["mcp-session-id"] === "s2") sendJson(event.response, done(event.body.id));
      return isCall(event) && event.headers["mcp-session-id"] === "s2";
    });
    server.forget();
    const results = await Promise.all([1, 2, 3].map(() => ask("tools/call", { name: "t" })));
    expect(results).toHaveLength(3);
    expect(server.events.filter(({ body }) => body?.method === "initialize")).toHaveLength(2);
  });

  it("fails the rejected request without repeating it if so configured, counts the loss, and then starts a new session", async () => {
    const { server, ask, connection } = await connected(
      (event) => {
        if (isCall(event) && event.headers["mcp-session-id"] === "s2") sendJson(event.response, done(event.body?.id));
        return isCall(event) && event.headers["mcp-session-id"] === "s2";
      },
      { resendsAfterLoss: false },
    );
    expect(connection.lostSessions).toBe(0);
    server.forget();
    const failures = await Promise.all([1, 2].map(() => ask("tools/call", { name: "t" }).catch((error) => error)));
    expect(failures.map(isSessionLost)).toEqual([true, true]);
    expect(connection.lostSessions).toBe(1);
    expect(await ask("tools/call", { name: "t" })).toMatchObject({ content: [{ text: "done" }] });
    expect(connection.lostSessions).toBe(1);
    expect(callsOf(server)).toBe(3);
  });

  it("starts one new session, even if a rejection of the old one arrives late", async () => {
    let refuseLate = () => {};
    const { server, ask } = await connected((event) => {
      const { body, headers, response } = event;
      if (!isCall(event)) return false;
      if (headers["mcp-session-id"] === "s2") sendJson(response, done(body.id));
      else if (body.params?.name === "late") refuseLate = () => sendJson(response, {}, 404);
      else return false;
      return true;
    });
    const late = ask("tools/call", { name: "late" });
    await until(() => callsOf(server) === 1);
    server.forget();
    await ask("tools/call", { name: "t" });
    refuseLate();
    expect(await late).toMatchObject({ content: [{ text: "done" }] });
    expect(server.events.filter(({ body }) => body?.method === "initialize")).toHaveLength(2);
  });

  it("reports why no new session could be started, and tries again with the next request", async () => {
    let isDown = false;
    const { server, ask } = await connected(({ body, response }) => {
      if (isDown && body?.method === "initialize") sendJson(response, {}, 503);
      return isDown && body?.method === "initialize";
    });
    server.forget();
    isDown = true;
    await expect(ask("tools/list")).rejects.toMatchObject({ reason: "status", status: 503 });
    await expect(ask("tools/list")).rejects.toMatchObject({ reason: "status", status: 503 });
    isDown = false;
    expect(await ask("tools/list")).toMatchObject({ tools: [] });
  });

  it("pings to detect an expired session when the rejection is ambiguous", async () => {
    const { server, ask } = await connected(({ body, headers, response }, { session }) => {
      if (!body || body.method === "initialize" || headers["mcp-session-id"] === session) return false;
      sendJson(response, { jsonrpc: "2.0", id: body.id, error: { code: -32000, message: "Bad Request" } }, 400);
      return true;
    });
    server.forget();
    expect(await ask("tools/list")).toMatchObject({ tools: [] });
  });

  it("starts a new session when a ping detects the loss, before a call has to wait for it (D-24)", async () => {
    const { server, ask } = await connected(undefined, { pingIntervalMs: 20 });
    server.forget();
    const renewed = () => server.events.filter(({ body }) => body?.method === "initialize").length === 2;
    await until(renewed);
    await ask("tools/list");
    expect(server.events.at(-1)?.headers["mcp-session-id"]).toBe("s2");
  });

  it("rejects a running call of an expired session without repeating it, because it may have begun", async () => {
    const { server, ask } = await connected((event, { forget }) => {
      if (!isCall(event)) return false;
      forget();
      openStream(event.response).end("id: e1\nretry: 1\ndata:\n\n");
      return true;
    });
    await expect(ask("tools/call", { name: "t" })).rejects.toMatchObject({ reason: "lost" });
    expect(callsOf(server)).toBe(1);
    expect(await ask("tools/list")).toMatchObject({ tools: [] });
  });

  it("starts a new session for subscriptions, and notifies them that anything may have changed (J-60)", async () => {
    const { server, ask } = await connected();
    const exchange = createFakeExchange();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["a:1"] };
    void ask("subscriptions/listen", { notifications }, exchange).catch(() => {});
    await until(() => exchange.notes.length === 1 && server.streams.length === 1);
    server.forget();
    server.streams[0]?.end();
    await until(() => exchange.notes.length === 3);
    expect(exchange.notes.map(({ method }) => method).slice(1)).toEqual([
      "notifications/tools/list_changed",
      "notifications/resources/updated",
    ]);
    expect(server.events.filter(({ body }) => body?.method === "resources/subscribe")).toHaveLength(2);
  });
});

describe("the GET stream (D-34)", () => {
  it("reopens the GET stream with a minimum delay, regardless of the server's retry time", async () => {
    const times: number[] = [];
    await connected(({ method, response }) => {
      if (method !== "GET") return false;
      times.push(performance.now());
      openStream(response).end("retry: 0\n\n");
      return true;
    });
    await until(() => times.length >= 3);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(90);
  });

  it("delivers changes, and resumes the GET stream at the last event", async () => {
    const { server, ask } = await connected();
    const exchange = createFakeExchange();
    void ask("subscriptions/listen", { notifications: { toolsListChanged: true } }, exchange).catch(() => {});
    await until(() => exchange.notes.length === 1 && server.streams.length === 1);
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" } as const;
    server.streams[0]?.write("retry: 5\ndata: garbage\n\n");
    sendEvent(server.streams[0] as never, changed, "e7");
    await until(() => exchange.notes.length === 2);
    server.streams[0]?.end();
    await until(() => server.streams.length === 2);
    expect(server.events.at(-1)?.headers["last-event-id"]).toBe("e7");
    sendEvent(server.streams[1] as never, changed);
    await until(() => exchange.notes.length === 3);
  });

  it("reports possible missed changes when the GET stream cannot be resumed", async () => {
    const { server, ask } = await connected();
    const exchange = createFakeExchange();
    void ask("subscriptions/listen", { notifications: { toolsListChanged: true } }, exchange).catch(() => {});
    await until(() => exchange.notes.length === 1 && server.streams.length === 1);
    server.streams[0]?.end("retry: 5\n\n");
    await until(() => exchange.notes.length === 2);
  });
});

describe("input requests on response streams", () => {
  it("assigns input requests to the call on whose stream they arrive, also beside calls of other callers (D-51)", async () => {
    const streams = new Map<unknown, HttpEvent>();
    const answers: JsonObject[] = [];
    const { ask } = await connected((event) => {
      if (isCall(event)) {
        streams.set(event.body.params?.name, event);
        openStream(event.response);
      } else if (event.body && "result" in event.body) {
        answers.push(event.body as never);
        event.response.writeHead(202).end();
      } else return false;
      return true;
    });
    const callers = ["ann", "bob"].map((name) => ({ name, exchange: createFakeExchange(name) }));
    const running = callers.map(({ name, exchange }) => ask("tools/call", { name }, exchange));
    await until(() => streams.size === 2);
    for (const { name } of callers) {
      const { response } = streams.get(name) as HttpEvent;
      sendEvent(response, { jsonrpc: "2.0", id: `for-${name}`, method: "roots/list" });
    }
    const rounds = (await Promise.all(running)) as InputRequiredResult[];
    const retries = rounds.map(({ requestState }, index) => {
      const { name } = callers[index] ?? { name: "" };
      const inputResponses = { q1: { roots: [{ uri: `file:///${name}` }] } };
      return ask("tools/call", { name, requestState, inputResponses }, createFakeExchange(name));
    });
    await until(() => answers.length === 2);
    expect(answers.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))).toMatchObject([
      { id: "for-ann", result: { roots: [{ uri: "file:///ann" }] } },
      { id: "for-bob", result: { roots: [{ uri: "file:///bob" }] } },
    ]);
    for (const { body, response } of streams.values()) sendEvent(response, done(body.id));
    expect(await Promise.all(retries)).toMatchObject([{ resultType: "complete" }, { resultType: "complete" }]);
  });
});

describe("cancellation", () => {
  it("notifies the server of a cancelled call and closes its stream (D-27)", async () => {
    let isClosed = false;
    const { server, ask } = await connected((event) => {
      if (!isCall(event)) return false;
      openStream(event.response).on("close", () => {
        isClosed = true;
      });
      return true;
    });
    const exchange = createFakeExchange();
    const running = ask("tools/call", { name: "t" }, exchange);
    await until(() => callsOf(server) === 1);
    exchange.cancel();
    await expect(running).rejects.toMatchObject({ reason: "cancelled" });
    await until(() => isClosed);
    const told = server.events.find(({ body }) => body?.method === "notifications/cancelled");
    expect(told?.body.params).toMatchObject({ requestId: 2 });
  });
});

describe("input requests during a call", () => {
  const form = { message: "name?", requestedSchema: { type: "object", properties: {} } };
  const asking = (id: string) => ({ jsonrpc: "2.0", id, method: "elicitation/create", params: form }) as const;

  it("delivers an input request to the call on whose stream it arrived, for any number of concurrent callers", async () => {
    const { ask } = await connected((event) => {
      if (!isCall(event)) return false;
      sendEvent(openStream(event.response), asking(`for ${event.body.params?.name}`));
      return true;
    });
    const rounds = await Promise.all(["a", "b", "c"].map((name) => ask("tools/call", { name })));
    for (const round of rounds as InputRequiredResult[]) {
      expect(Object.keys(round.inputRequests ?? {})).toEqual(["q1"]);
      expect(round._meta).not.toHaveProperty("lethe/uncertain");
    }
  });

  it("delivers an input request on the GET stream to no call of several users, and runs such calls in turn afterwards", async () => {
    const { server, connection, ask } = await connected((event) => {
      if (isCall(event)) openStream(event.response);
      return isCall(event);
    });
    await until(() => server.streams.length === 1);
    const all = ["a", "b"].map((name) => ask("tools/call", { name }).catch((error: Error) => error));
    await until(() => callsOf(server) === 2);
    sendEvent(server.streams[0] as never, asking("s1"));
    await until(() => server.events.some(({ body }) => body?.id === "s1" && "error" in body));
    const third = ask("tools/call", { name: "c" }).catch((error: Error) => error);
    await ask("tools/list");
    expect(callsOf(server)).toBe(2);
    await connection.close();
    await Promise.all([...all, third]);
  });

  it("rejects a call with an input request at once when the server has no session to take the answer", async () => {
    const { server, ask } = await connected((event) => {
      const { body, response, method } = event;
      if (body?.method === "initialize") {
        const result = {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        };
        sendJson(response, { jsonrpc: "2.0", id: body.id, result });
      } else if (isCall(event)) sendEvent(openStream(response), asking("s1"));
      else response.writeHead(method === "GET" ? 405 : 202).end();
      return true;
    });
    await expect(ask("tools/call", { name: "t" })).rejects.toMatchObject({
      name: "TransportError",
      reason: "no_session",
      message: expect.stringContaining("(elicitation/create)"),
    });
    await until(() => server.events.some(({ body }) => body?.method === "notifications/cancelled"));
    expect(server.events.some(({ body }) => body?.id === "s1")).toBe(false);
  });
});
