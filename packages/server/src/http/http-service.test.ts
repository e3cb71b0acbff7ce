// How an HTTP edge serves requests on both platforms: JSON, event streams, cancellation, limits (B.1, B.2).
import { type JsonObject, McpError, type ModernRequest, type Result, withReadyText } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import { aborted, holdDispatch } from "../testing/held-dispatch.ts";
import { describeMatrix } from "../testing/http-platforms.ts";
import { callOf, progress, requestOf } from "../testing/messages.ts";
import type { HttpCall } from "./http-call.ts";
import type { Servable } from "./servable.ts";

const complete: Result = { resultType: "complete", content: [] };

describeMatrix("a served request", (platform) => {
  it.each([0, -7, "", 'a"\n', "é"])("with id %j answers one JSON object with that id (A-5, B-8)", async (id) => {
    await using client = await platform.open({ dispatch: async ({ method }) => ({ ...complete, method }) });
    const answer = await client.send({
      body: callOf("ä\ud83d\ude00", id),
      headers: { "mcp-name": "=?base64?w6Twn5iA?=" },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id, result: { ...complete, method: "tools/call" } });
  });

  it("reaches the server unchanged, with its headers (A-32)", async () => {
    let seen: [ModernRequest, string | undefined] | undefined;
    await using client = await platform.open({
      async dispatch(request, { headers }) {
        seen = [request, headers?.("mcp-param-region")];
        return complete;
      },
    });
    const body = { ...callOf(), unknown: true };
    await client.send({
      body,
      headers: { "Mcp-Param-Region": "eu", "content-type": "application/JSON; charset=utf-8" },
    });
    expect(seen).toEqual([body, "eu"]);
  });

  it("is read completely if its body is cut inside a character", async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      const bytes = new TextEncoder().encode(JSON.stringify(requestOf("tools/list", { note: "é".repeat(50) })));
      for (let at = 0; at < bytes.length; at += 37) yield bytes.subarray(at, at + 37);
    }
    await using client = await platform.open({ dispatch: async ({ params }) => ({ ...complete, note: params.note }) });
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    const answer = await client.send({ body: pieces(), headers });
    expect(await answer.json()).toMatchObject({ result: { note: "é".repeat(50) } });
  });

  it("sends a serialised result unchanged", async () => {
    const ready = withReadyText({ resultType: "complete" }, '{"resultType":"complete","ready":true}');
    await using client = await platform.open({ dispatch: async () => ready });
    expect(await (await client.send({ body: callOf() })).text()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ready":true}}',
    );
  });

  it.each(["notifications/cancelled", "notifications/unknown"])(
    "%s is accepted and dropped, even without headers and metadata (B-7, J-3)",
    async (method) => {
      const dispatch = vi.fn();
      await using client = await platform.open({ dispatch });
      const headers = { "mcp-protocol-version": undefined, "mcp-method": undefined };
      const answer = await client.send({ body: { jsonrpc: "2.0", method }, headers });
      expect([answer.status, await answer.text()]).toEqual([202, ""]);
      expect(dispatch).not.toHaveBeenCalled();
    },
  );

  it("ignores session and event ids of older revisions (B-5)", async () => {
    await using client = await platform.open({ dispatch: async () => complete });
    const answer = await client.send({ body: callOf(), headers: { "mcp-session-id": "s", "last-event-id": "4" } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });

  it("answers with an event stream after a notification, and the result ends it (B-15, B-16, B-17, B-19)", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held);
    const sent = client.send({ body: callOf() });
    const exchange = await held.exchange;
    expect(exchange.notify(progress)).toBe(true);
    const answer = await sent;
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    const messages = answer.messages();
    expect((await messages.next()).value).toEqual(progress);
    held.finish();
    expect((await messages.next()).value).toEqual({ jsonrpc: "2.0", id: 1, result: complete });
    expect((await messages.next()).done).toBe(true);
    expect(exchange.notify(progress)).toBe(true);
    await exchange.drained();
    expect(exchange.signal.aborted).toBe(true);
  });

  it("sends an error after a notification as the last event, because the status is already sent (A-47)", async () => {
    const onError = vi.fn();
    const held = holdDispatch();
    await using client = await platform.open(held, { onError });
    const sent = client.send({ body: callOf() });
    (await held.exchange).notify(progress);
    held.fail(new Error("secret"));
    const answer = await sent;
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(
      `data: ${JSON.stringify(progress)}\n\ndata: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}\n\n`,
    );
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each(["application/json", "application/json, text/event-stream;q=0", "text/html"])(
    "drops notifications for a client that accepts only %s (B-9)",
    async (accept) => {
      await using client = await platform.open({
        async dispatch(_request, exchange) {
          expect(exchange.notify(progress)).toBe(true);
          return complete;
        },
      });
      const answer = await client.send({ body: callOf(), headers: { accept } });
      expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 1, result: complete });
    },
  );

  it.each([undefined, "*/*", "text/*", "Text/Event-Stream"])(
    "may answer with a stream to a client that accepts %s (B-9)",
    async (accept) => {
      await using client = await platform.open({
        async dispatch(_request, exchange) {
          exchange.notify(progress);
          return complete;
        },
      });
      const answer = await client.send({ body: callOf(), headers: { accept } });
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
    },
  );

  it("rejects a subscription if the client does not accept an event stream", async () => {
    await using client = await platform.open({ dispatch: async () => complete });
    const body = requestOf("subscriptions/listen", { notifications: {} });
    const answer = await client.send({ body, headers: { accept: "application/json" } });
    expect([answer.status, (await answer.json()).id]).toEqual([406, 1]);
  });

  it("is aborted when the client leaves before the answer, and sends nothing afterwards (B-20, J-48)", async () => {
    const onError = vi.fn();
    const held = holdDispatch();
    await using client = await platform.open(held, { onError });
    const { leave } = client.open({ body: callOf() });
    const exchange = await held.exchange;
    const { signal } = exchange;
    expect(signal.aborted).toBe(false);
    leave();
    await aborted(signal);
    expect(signal.reason).toMatchObject({ name: "AbortError" });
    expect(exchange.notify(progress)).toBe(true);
    await exchange.drained();
    held.fail(signal.reason);
    await held.exchange;
    expect(onError).not.toHaveBeenCalled();
  });

  it("is aborted when the client leaves a stream, also for a signal read later (B-20)", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held);
    const { answer, leave } = client.open({ body: callOf() });
    const exchange = await held.exchange;
    exchange.notify(progress);
    await (await answer).chunks.next();
    leave();
    await vi.waitUntil(() => exchange.notify(progress) && exchange.signal.aborted, { interval: 1 });
    await exchange.drained();
    held.finish();
  });

  it("returns false from `notify` while the client reads slowly, and drops notifications over the limit", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held, { maxBufferedBytes: 100_000 });
    const sent = client.send({ body: callOf() });
    const exchange = await held.exchange;
    const big = { ...progress, params: { data: "x".repeat(50_000) } };
    let accepted = 0;
    while (exchange.notify(big)) accepted++;
    for (let more = 0; more < 10_000; more++) exchange.notify(big);
    const drained = exchange.drained();
    const answer = await sent;
    const received: JsonObject[] = [];
    const reading = (async () => {
      for await (const message of answer.messages()) received.push(message);
    })();
    await drained;
    held.finish();
    await reading;
    expect(received.at(-1)).toEqual({ jsonrpc: "2.0", id: 1, result: complete });
    expect(received.length).toBeGreaterThan(accepted);
    expect(received.length).toBeLessThan(accepted + 200);
  });

  it("resolves `drained` when a slow client leaves (B-20)", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held);
    const { answer, leave } = client.open({ body: callOf() });
    const exchange = await held.exchange;
    const big = { ...progress, params: { data: "x".repeat(5_000_000) } };
    expect(exchange.notify(big)).toBe(false);
    await answer;
    const waiting = [exchange.drained(), exchange.drained()];
    leave();
    await Promise.all(waiting);
    held.finish();
  });

  it("is not aborted when the client leaves after the answer", async () => {
    const onAbort = vi.fn();
    const held = holdDispatch();
    {
      await using client = await platform.open(held);
      const { answer, leave } = client.open({ body: callOf() });
      const exchange = await held.exchange;
      exchange.onAbort?.(onAbort);
      exchange.signal.addEventListener("abort", onAbort);
      held.finish();
      await (await answer).text();
      leave();
    }
    expect(onAbort).not.toHaveBeenCalled();
  });

  it("calls each abort callback once, and a late one immediately", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held);
    const { leave } = client.open({ body: callOf() });
    const exchange = await held.exchange;
    const calls = [vi.fn(), vi.fn(), vi.fn()];
    for (const call of calls) exchange.onAbort?.(call);
    leave();
    await aborted(exchange.signal);
    const late = vi.fn();
    exchange.onAbort?.(late);
    for (const call of [...calls, late]) expect(call).toHaveBeenCalledOnce();
    held.finish();
  });

  it("keeps an idle stream open with comments (B-18)", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held, { keepAliveMs: 40 });
    const sent = client.send({ body: requestOf("subscriptions/listen", { notifications: {} }) });
    (await held.exchange).notify(progress);
    const { chunks } = await sent;
    const decoder = new TextDecoder();
    expect(decoder.decode((await chunks.next()).value)).toMatch(/^data: /);
    expect(decoder.decode((await chunks.next()).value)).toBe(":\n\n");
    held.finish();
    expect(decoder.decode((await chunks.next()).value)).toMatch(/^data: .*"id":1/);
  });

  it("is aborted and answered after the time limit, unless it is a subscription (E-18, E-36)", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held, { requestTimeoutMs: 40 });
    const sent = client.send({ body: callOf() });
    const { signal } = await held.exchange;
    const answer = await sent;
    expect(await answer.json()).toMatchObject({
      id: 1,
      error: { code: -32603, message: expect.stringContaining("40 ms") },
    });
    expect(signal.aborted).toBe(true);
    held.finish();

    const subscription = holdDispatch();
    await using listener = await platform.open(subscription, { requestTimeoutMs: 40, keepAliveMs: 90 });
    const listening = listener.send({ body: requestOf("subscriptions/listen", { notifications: {} }) });
    (await subscription.exchange).notify(progress);
    const { chunks } = await listening;
    await chunks.next();
    await chunks.next();
    subscription.finish();
    expect(new TextDecoder().decode((await chunks.next()).value)).toContain('"result"');
  });

  it("answers 503 beyond the limit of concurrent requests, until one has ended", async () => {
    const held = holdDispatch();
    const servable: Servable = { dispatch: (request, exchange) => held.dispatch(request, exchange) };
    await using client = await platform.open(servable, { maxConcurrentRequests: 1 });
    const first = client.send({ body: callOf() });
    await held.exchange;
    const refused = await client.send({ body: callOf() });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    held.finish();
    expect((await first).status).toBe(200);
    expect((await client.send({ body: callOf() })).status).toBe(200);
  });

  it("takes no slot of requests if it is a subscription, which has a limit of its own", async () => {
    const held = holdDispatch();
    const servable: Servable = {
      dispatch: (request, exchange) =>
        request.method === "tools/call" ? Promise.resolve(complete) : held.dispatch(request, exchange),
    };
    await using client = await platform.open(servable, { maxConcurrentRequests: 1, maxStreams: 1 });
    const listen = requestOf("subscriptions/listen", { notifications: {} });
    const first = client.send({ body: listen });
    (await held.exchange).notify(progress);
    await first;
    const refused = await client.send({ body: { ...listen, id: 2 } });
    expect([refused.status, (await refused.json()).id]).toEqual([503, 2]);
    expect((await client.send({ body: callOf() })).status).toBe(200);
    held.finish();
    await (await first).text();
    expect((await client.send({ body: listen })).headers.get("content-type")).toBe("application/json");
  });

  it("answers 500 if the lookup throws, reports the error, and holds no slot", async () => {
    const onError = vi.fn();
    const lookup = (path: string): Servable => {
      if (path === "/%zz") throw new URIError("no such path");
      return { dispatch: async () => complete };
    };
    await using client = await platform.open(lookup, { onError, maxConcurrentRequests: 1 });
    for (let count = 0; count < 2; count += 1) {
      const answer = await client.send({ path: "/%zz", body: callOf() });
      expect([answer.status, await answer.text()]).toEqual([500, "internal error"]);
    }
    expect(onError).toHaveBeenCalledWith(new URIError("no such path"));
    expect((await client.send({ body: callOf() })).status).toBe(200);
  });

  it("sends no keep-alive comments to a client that does not read (B-18)", async () => {
    const held = holdDispatch();
    await using client = await platform.open(held, { keepAliveMs: 10 });
    const sent = client.send({ body: requestOf("subscriptions/listen", { notifications: {} }) });
    const exchange = await held.exchange;
    const large = { ...progress, params: { ...progress.params, message: "x".repeat(1_000_000) } };
    const written = vi.spyOn((exchange as HttpCall).io, "write");
    for (let count = 0; count < 30; count += 1) exchange.notify(large);
    const { chunks } = await sent;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(written).toHaveBeenCalledTimes(30);
    held.finish();
    await chunks.return?.();
  });

  it("releases its slot when it fails", async () => {
    await using client = await platform.open(
      { dispatch: () => Promise.reject(new McpError(-32602, "no")) },
      { maxConcurrentRequests: 1 },
    );
    for (const body of [callOf(), "{", { jsonrpc: "2.0", method: "x" }, callOf()]) {
      expect((await client.send({ body })).status).not.toBe(503);
    }
  });
});
