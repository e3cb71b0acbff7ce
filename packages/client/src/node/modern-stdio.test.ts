// Revision 2026-07-28 over a message wire (C-4 to C-6).
import { type JsonObject, type JsonRpcNotification, metaKey } from "@lethe/protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createFakeExchange,
  createFakeLegacyServer,
  letGo,
  modernRequest,
} from "../legacy/testing/fake-legacy-server.ts";
import { createModernStdio, type ModernStdioOptions } from "./modern-stdio.ts";

function connected(options: ModernStdioOptions = {}) {
  const server = createFakeLegacyServer({}, {});
  const connection = createModernStdio(server.wire, options);
  onTestFinished(() => connection.close());
  const ask = (method: string, params?: JsonObject, meta?: JsonObject, exchange = createFakeExchange()) =>
    letGo(connection.dispatch(modernRequest(method, params, meta), exchange));
  const answer = (id: number, result: JsonObject) => server.say({ jsonrpc: "2.0", id, result });
  return { server, connection, ask, answer };
}

const changed = (subscriptionId: unknown, params: JsonObject = {}): JsonObject => ({
  ...params,
  _meta: { [metaKey.subscriptionId]: subscriptionId },
});

describe("a request over modern stdio", () => {
  it("a request is sent unchanged except for its id and its progress token (J-55)", async () => {
    const { server, ask, answer } = connected();
    const exchange = createFakeExchange();
    const running = ask("tools/call", { name: "t" }, { progressToken: "mine" }, exchange);
    const { id, params } = await server.nextRequest("tools/call");
    expect(id).toBe(1);
    expect(params).toEqual({ ...modernRequest("", { name: "t" }, { progressToken: 1 }).params });
    server.tell("notifications/progress", { progressToken: 1, progress: 1 });
    answer(1, { resultType: "complete", content: [] });
    expect(await running).toEqual({ resultType: "complete", content: [] });
    expect(exchange.notes.map((note) => note.params)).toEqual([{ progressToken: "mine", progress: 1 }]);
  });

  it("a request may be answered by input_required, which is returned unchanged (E.3)", async () => {
    const { server, ask, answer } = connected();
    const running = ask("tools/call", { name: "t" });
    await server.nextRequest("tools/call");
    const asked = {
      resultType: "input_required",
      requestState: "theirs",
      inputRequests: { k: { method: "roots/list" } },
    };
    answer(1, asked);
    expect(await running).toEqual(asked);
  });

  it("an unknown result type is an error (A-7)", async () => {
    const { server, ask, answer } = connected();
    const running = ask("tools/list");
    await server.nextRequest("tools/list");
    answer(1, { resultType: "mystery" });
    await expect(running).rejects.toMatchObject({ name: "TransportError", reason: "invalid" });
  });

  it("cancelling a request cancels it at the server, and a late response is ignored (C-6)", async () => {
    const { server, ask, answer } = connected();
    const exchange = createFakeExchange();
    const running = ask("tools/call", { name: "t" }, {}, exchange);
    await server.nextRequest("tools/call");
    exchange.cancel();
    await expect(running).rejects.toMatchObject({ reason: "cancelled" });
    expect((await server.nextNotification("notifications/cancelled")).params).toMatchObject({ requestId: 1 });
    answer(1, { resultType: "complete" });
  });

  it("a request of the server is not answered, because modern servers send none (A-3)", () => {
    const { server } = connected();
    server.ask("s", "elicitation/create", {});
    expect(server.received).toEqual([]);
  });

  it("log messages go to the request that asked for them, and otherwise to the owner of the connection (C-5)", async () => {
    const stray: JsonRpcNotification[] = [];
    const { server, ask } = connected({ onNotification: (notification) => stray.push(notification) });
    const exchange = createFakeExchange();
    void ask("tools/call", { name: "t" }, { [metaKey.logLevel]: "warning" }, exchange).catch(() => {});
    await server.nextRequest("tools/call");
    server.tell("notifications/message", { level: "error", data: 1 });
    server.tell("notifications/message", { level: "info", data: 2 });
    expect([exchange.notes, stray].map((notes) => notes.map(({ params }) => params?.data))).toEqual([[1], [2]]);
  });
});

describe("subscriptions on one stdio stream", () => {
  async function listening() {
    const { server, connection, ask, answer } = connected();
    const exchanges = [createFakeExchange(), createFakeExchange()];
    const ends = exchanges.map((exchange) => ask("subscriptions/listen", { notifications: {} }, {}, exchange));
    await server.next((m): m is never => "id" in m && m.id === 2);
    for (const id of [1, 2])
      server.tell("notifications/subscriptions/acknowledged", changed(id, { notifications: {} }));
    const notesOf = (index: number) => exchanges[index]?.notes.slice(1).map(({ params }) => params);
    return { server, connection, exchanges, ends, answer, notesOf };
  }

  it("notifications are matched by subscription id and tagged with the ids of their subscribers (C-4, J-55)", async () => {
    const { server, notesOf, exchanges } = await listening();
    server.tell("notifications/tools/list_changed", changed(2));
    server.tell("notifications/resources/updated", changed(1, { uri: "a:1" }));
    server.tell("notifications/tools/list_changed", changed(3));
    expect(exchanges[0]?.notes[0]?.params).toEqual(changed("caller-1", { notifications: {} }));
    expect([notesOf(0), notesOf(1)]).toEqual([[changed("caller-1", { uri: "a:1" })], [changed("caller-1")]]);
  });

  it("a subscription ends with the server's result, with its cancellation, or with the connection (J-1)", async () => {
    const { server, connection, ends, answer } = await listening();
    answer(1, { resultType: "complete", ...changed(1) });
    server.tell("notifications/cancelled", { requestId: 2 });
    const closing = createFakeExchange();
    const last = connection.dispatch(modernRequest("subscriptions/listen", { notifications: {} }), closing);
    await server.next((m): m is never => "id" in m && m.id === 3);
    await connection.close();
    const ended = { resultType: "complete", ...changed("caller-1") };
    expect(await Promise.all([...ends, last])).toEqual([ended, ended, ended]);
  });

  it("a subscription has no time limit, and is cancelled with its caller (E-15)", async () => {
    const { server, exchanges, ends } = await listening();
    exchanges[0]?.cancel();
    await expect(ends[0]).rejects.toMatchObject({ reason: "cancelled" });
    expect((await server.nextNotification("notifications/cancelled")).params).toMatchObject({ requestId: 1 });
  });
});

describe("the exit of a modern stdio server", () => {
  it("an exit ends the open requests", async () => {
    const { server, ask } = connected();
    const running = ask("tools/list");
    server.die("s exited with code 1");
    await expect(running).rejects.toMatchObject({ reason: "lost", message: "s exited with code 1" });
  });
});

describe("a notification of an extension over modern stdio", () => {
  const capabilities = { extensions: { "a.b/c": {} } };
  const meta = { [metaKey.clientCapabilities]: capabilities };

  it("reaches a request that declares extensions, if all requests of the connection belong to one user", async () => {
    const { server, ask, answer } = connected();
    const [plain, exchange] = [createFakeExchange(undefined, "mine"), createFakeExchange(undefined, "mine")];
    const running = [ask("tools/call", {}, {}, plain), ask("tools/call", {}, meta, exchange)];
    await server.nextRequest("tools/call");
    await server.nextRequest("tools/call");
    server.tell("a.b/c.said", { x: 1 });
    for (const id of [1, 2]) answer(id, { resultType: "complete", content: [] });
    await Promise.all(running);
    expect([plain.notes, exchange.notes]).toEqual([[], [{ jsonrpc: "2.0", method: "a.b/c.said", params: { x: 1 } }]]);
  });

  it.each([["another"], [undefined]])("is dropped once a request of the conversation %s was sent", async (other) => {
    const onNotification = vi.fn();
    const { server, ask, answer } = connected({ onNotification });
    const before = ask("tools/call", {}, meta, createFakeExchange(undefined, other));
    await server.nextRequest("tools/call");
    answer(1, { resultType: "complete", content: [] });
    await before;
    const exchange = createFakeExchange(undefined, "mine");
    const running = ask("tools/call", {}, meta, exchange);
    await server.nextRequest("tools/call");
    server.tell("a.b/c.said", { x: 1 });
    answer(2, { resultType: "complete", content: [] });
    await running;
    expect(exchange.notes).toEqual([]);
    expect(onNotification).toHaveBeenCalledOnce();
  });
});
