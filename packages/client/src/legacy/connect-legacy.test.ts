// A legacy session behind the core contract: handshake, requests, results, errors, notifications, cancellation.
import { isRequest, type JsonObject, type JsonRpcNotification, type JsonRpcRequest, metaKey } from "@lethe/protocol";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectLegacy } from "./connect-legacy.ts";
import type { LegacyOptions } from "./legacy-connection.ts";
import {
  type Answer,
  createFakeExchange,
  createFakeLegacyServer,
  letGo,
  modernRequest,
} from "./testing/fake-legacy-server.ts";

const clientInfo = { name: "c", version: "1" };
const everything = {
  tools: { listChanged: true },
  prompts: {},
  resources: { subscribe: true, listChanged: true },
  logging: {},
};

async function connected(answers: Record<string, Answer> = {}, options: Partial<LegacyOptions> = {}) {
  const server = createFakeLegacyServer(everything, answers);
  const connection = await connectLegacy(server.wire, { clientInfo, ...options });
  onTestFinished(() => connection.close());
  const ask = (method: string, params?: JsonObject, meta?: JsonObject, exchange = createFakeExchange()) =>
    letGo(connection.dispatch(modernRequest(method, params, meta), exchange));
  return { server, connection, ask };
}

describe("the handshake", () => {
  it("sends initialize with the newest legacy revision and all capabilities, then notifications/initialized (D-20)", async () => {
    const { server } = await connected();
    expect(server.received).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
          clientInfo,
        },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "accepts the server's answer with the revision %s",
    async (revision) => {
      const { connection } = await connected({ initialize: () => ({ protocolVersion: revision, capabilities: {} }) });
      expect([connection.era, connection.revision]).toEqual(["legacy", revision]);
    },
  );

  it.each(["2026-07-28", "1.0"])("rejects a server that answers with the revision %s", async (revision) => {
    const connecting = connected({ initialize: () => ({ protocolVersion: revision, capabilities: {} }) });
    await expect(connecting).rejects.toMatchObject({ name: "TransportError", reason: "invalid" });
  });

  it("rejects with the server's own error when it refuses the handshake (D.2/6)", async () => {
    const connecting = connected({ initialize: () => ({ error: { code: -32022, message: "no" } }) });
    await expect(connecting).rejects.toMatchObject({ name: "McpError", code: -32022 });
  });

  it("answers a ping before the handshake is complete (D-21, D-24)", async () => {
    const server = createFakeLegacyServer({}, { initialize: () => undefined });
    const connecting = connectLegacy(server.wire, { clientInfo });
    server.ask("p", "ping");
    expect(await server.nextResponse("p")).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
    server.die("gone");
    await expect(connecting).rejects.toMatchObject({ reason: "lost", message: "gone" });
  });

  it("rejects the connection with a timeout when the server does not answer", async () => {
    const connecting = connected({ initialize: () => undefined }, { initializeTimeoutMs: 20 });
    await expect(connecting).rejects.toMatchObject({ reason: "timeout" });
  });
});

describe("requests and results", () => {
  it("derives server/discover from the InitializeResult (D-51)", async () => {
    const initialize = () => ({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {}, tasks: {}, extensions: { "io.modelcontextprotocol/tasks": {}, "com.example/x": {} } },
      serverInfo: { name: "s", version: "2" },
      instructions: "be kind",
    });
    const { ask, connection } = await connected({ initialize });
    expect(await ask("server/discover")).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { "com.example/x": {} } },
      instructions: "be kind",
      ttlMs: 0,
      cacheScope: "private",
      _meta: { [metaKey.serverInfo]: { name: "s", version: "2" } },
    });
    expect(connection.server).toEqual(await ask("server/discover"));
  });

  it("removes the envelope from requests and sends everything else (D-51)", async () => {
    const { server, ask } = await connected({ "tools/call": () => ({ content: [] }) });
    const meta = { traceparent: "00-1", progressToken: "mine", [metaKey.clientInfo]: clientInfo };
    await ask("tools/call", { name: "t", arguments: { a: 1 } }, meta);
    expect(await server.nextRequest("tools/call")).toEqual({
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "t", arguments: { a: 1 }, _meta: { traceparent: "00-1", progressToken: 2 } },
    });
  });

  it("sends a request without params when it has none", async () => {
    const { server, ask } = await connected({ "tools/list": () => ({ tools: [] }) });
    await ask("tools/list");
    expect(await server.nextRequest("tools/list")).not.toHaveProperty("params");
  });

  it("marks a list as private and expired at once, names the server, and removes legacy task support (E-50, A-35)", async () => {
    const tool = { name: "t", inputSchema: { type: "object", $defs: { x: {} } } };
    const { ask } = await connected({ "tools/list": () => ({ tools: [{ ...tool, execution: {} }], nextCursor: "" }) });
    expect(await ask("tools/list")).toEqual({
      resultType: "complete",
      tools: [tool],
      nextCursor: "",
      ttlMs: 0,
      cacheScope: "private",
      _meta: { [metaKey.serverInfo]: { name: "fake", version: "1" } },
    });
  });

  it("does not send a method whose capability the server did not declare (E-4)", async () => {
    const { server, ask } = await connected();
    for (const method of ["completion/complete", "ping", "initialize", "logging/setLevel", "tasks/get", "toString"]) {
      await expect(ask(method)).rejects.toMatchObject({ code: -32601 });
    }
    expect(server.received).toHaveLength(2);
  });

  it("sends completion/complete to a server of 2024-11-05, which declares no completion capability (D.6)", async () => {
    const { ask } = await connected({
      initialize: () => ({ protocolVersion: "2024-11-05", capabilities: {} }),
      "completion/complete": () => ({ completion: { values: ["a"] } }),
    });
    expect(await ask("completion/complete")).toMatchObject({ completion: { values: ["a"] } });
  });

  it("assigns responses that arrive out of order to their requests", async () => {
    const { server, ask } = await connected();
    const results = [ask("tools/list"), ask("tools/list")];
    await server.next((m): m is never => "id" in m && m.id === 3);
    server.say({ jsonrpc: "2.0", id: 3, result: { tools: [], nextCursor: "b" } });
    server.say({ jsonrpc: "2.0", id: 2, result: { tools: [], nextCursor: "a" } });
    expect((await Promise.all(results)).map(({ nextCursor }) => nextCursor)).toEqual(["a", "b"]);
  });
});

describe("errors", () => {
  it("converts the error for an unknown resource to -32602 with its URI (D-28, E-79)", async () => {
    const { ask } = await connected({ "resources/read": () => ({ error: { code: -32002, message: "none" } }) });
    await expect(ask("resources/read", { uri: "x:y" })).rejects.toMatchObject({ code: -32602, data: { uri: "x:y" } });
  });

  it.each([-32022, -32021, -32020, -32000])(
    "converts the server's error %i to an internal error (D-52)",
    async (code) => {
      const { ask } = await connected({ "tools/list": () => ({ error: { code, message: "m", data: 1 } }) });
      await expect(ask("tools/list")).rejects.toMatchObject({ code: -32603, message: "m", data: 1 });
    },
  );

  it.each([-32601, -32602, -1, 42])("forwards the server's error %i unchanged", async (code) => {
    const { ask } = await connected({ "tools/list": () => ({ error: { code, message: "m" } }) });
    await expect(ask("tools/list")).rejects.toMatchObject({ name: "McpError", code, message: "m" });
  });

  it("assigns an error without id to the only open request (J-29)", async () => {
    const { server, ask } = await connected();
    const listing = ask("tools/list");
    server.say({ jsonrpc: "2.0", error: { code: -32700, message: "what?" } });
    await expect(listing).rejects.toMatchObject({ code: -32700 });
  });

  it("rejects a request without an answer after its time limit and notifies the server (E-36)", async () => {
    const { server, ask } = await connected({}, { timeoutMs: 20 });
    await expect(ask("tools/list")).rejects.toMatchObject({ name: "TransportError", reason: "timeout" });
    expect((await server.nextNotification("notifications/cancelled")).params).toMatchObject({ requestId: 2 });
  });

  it("rejects requests above the limit of open requests", async () => {
    const { ask } = await connected({}, { maxOpenRequests: 1 });
    void ask("tools/list").catch(() => {});
    await expect(ask("tools/list")).rejects.toMatchObject({ reason: "too_large" });
  });

  it("rejects running and later requests when the server process dies", async () => {
    const { server, ask, connection } = await connected();
    const running = ask("tools/list");
    server.die("s exited with code 1");
    await expect(running).rejects.toMatchObject({ reason: "lost", message: "s exited with code 1" });
    await expect(ask("tools/list")).rejects.toMatchObject({ reason: "lost" });
    expect(await connection.closed).toEqual({ reason: "s exited with code 1" });
  });

  it("rejects running requests when the connection is closed (D-30)", async () => {
    const { ask, connection } = await connected();
    const running = ask("tools/list");
    const ended = expect(running).rejects.toMatchObject({ reason: "closed" });
    await connection.close();
    await ended;
  });
});

describe("progress and log messages", () => {
  it("reports progress under the caller's own token, and only when it increases (E-35)", async () => {
    const { server, ask } = await connected();
    const exchange = createFakeExchange();
    const running = ask("tools/call", { name: "t" }, { progressToken: 0 }, exchange);
    await server.nextRequest("tools/call");
    for (const progress of [1, 1, 0.5, 2])
      server.tell("notifications/progress", { progressToken: 2, progress, total: 9 });
    server.tell("notifications/progress", { progressToken: 77, progress: 1 });
    server.say({ jsonrpc: "2.0", id: 2, result: { content: [] } });
    await running;
    server.tell("notifications/progress", { progressToken: 2, progress: 3 });
    expect(exchange.notes.map(({ params }) => params)).toEqual([
      { progressToken: 0, progress: 1, total: 9 },
      { progressToken: 0, progress: 2, total: 9 },
    ]);
  });

  it("gives a slow reader the latest progress when it is ready", async () => {
    const { server, ask } = await connected();
    const notes: JsonRpcNotification[] = [];
    let drain = () => {};
    const exchange = {
      ...createFakeExchange(),
      notify: (note: JsonRpcNotification) => notes.push(note) > 1,
      drained: () => new Promise<void>((resolve) => (drain = resolve)),
    };
    void ask("tools/call", { name: "t" }, { progressToken: "p" }, exchange);
    await server.nextRequest("tools/call");
    for (const progress of [1, 2, 3]) server.tell("notifications/progress", { progressToken: 2, progress });
    expect(notes).toHaveLength(1);
    drain();
    await Promise.resolve();
    expect(notes.map(({ params }) => params?.progress)).toEqual([1, 3]);
  });

  it("sets the log level once per session and only makes it more verbose (D-25)", async () => {
    const { server, ask } = await connected({ "tools/list": () => ({ tools: [] }), "logging/setLevel": () => ({}) });
    for (const level of ["warning", "error", "debug", "info"])
      await ask("tools/list", {}, { [metaKey.logLevel]: level });
    const set = server.received.filter((m) => "method" in m && m.method === "logging/setLevel");
    expect(set.map((m) => "params" in m && m.params)).toEqual([{ level: "warning" }, { level: "debug" }]);
  });

  it("sends the call to a server that rejects the log level", async () => {
    const { ask } = await connected({
      "tools/list": () => ({ tools: [] }),
      "logging/setLevel": () => ({ error: { code: -32601, message: "no" } }),
    });
    expect(await ask("tools/list", {}, { [metaKey.logLevel]: "info" })).toMatchObject({ tools: [] });
  });

  it("delivers log messages only to requests that set a matching level (E-40)", async () => {
    const stray: unknown[] = [];
    const onNotification = (notification: JsonRpcNotification) => stray.push(notification.params?.data);
    const { server, ask } = await connected({ "logging/setLevel": () => ({}) }, { onNotification });
    const ofOneUser = () => createFakeExchange(undefined, "one");
    const [quiet, warned, told] = [ofOneUser(), ofOneUser(), ofOneUser()];
    void ask("tools/call", { name: "q" }, {}, quiet);
    void ask("tools/call", { name: "w" }, { [metaKey.logLevel]: "warning" }, warned);
    void ask("tools/call", { name: "i" }, { [metaKey.logLevel]: "info" }, told);
    await server.next((m): m is never => "params" in m && m.params?.name === "i");
    server.tell("notifications/message", { level: "info", data: 1 });
    server.tell("notifications/message", { level: "error", data: 2, logger: "l" });
    server.tell("notifications/message", { level: "debug", data: 3 });
    server.tell("notifications/message", { level: "loud", data: 4 });
    expect(quiet.notes).toEqual([]);
    expect(warned.notes.map(({ params }) => params)).toEqual([{ level: "error", data: 2, logger: "l" }]);
    expect(told.notes.map(({ params }) => params?.data)).toEqual([1, 2]);
    expect(stray).toEqual([3, 4]);
  });

  it.each([
    ["callers without a name", undefined, undefined],
    ["one authenticated caller", "ann", "ann"],
    ["two authenticated callers", "ann", "bob"],
  ])("delivers a log message on a shared stream to neither of two calls of %s", async (_who, one, other) => {
    const { server, ask } = await connected({ "logging/setLevel": () => ({}) });
    const [first, second] = [createFakeExchange(one), createFakeExchange(other)];
    const meta = { [metaKey.logLevel]: "info", [metaKey.clientCapabilities]: {} };
    void ask("tools/call", { name: "a" }, meta, first);
    void ask("tools/call", { name: "b" }, meta, second);
    const [{ id }] = await Promise.all([
      server.next((m): m is JsonRpcRequest => isRequest(m) && m.params?.name === "a"),
      server.next((m): m is JsonRpcRequest => isRequest(m) && m.params?.name === "b"),
    ]);
    server.tell("notifications/message", { level: "info", data: "whose?" });
    server.tell("notifications/message", { level: "info", data: "the first one's" }, id);
    expect([first.notes.map(({ params }) => params?.data), second.notes]).toEqual([["the first one's"], []]);
  });

  it("delivers notifications that belong to no request to the owner of the connection", async () => {
    const heard: string[] = [];
    const { server } = await connected({}, { onNotification: ({ method }) => heard.push(method) });
    server.tell("notifications/elicitation/complete", { elicitationId: "1" });
    expect(heard).toEqual(["notifications/elicitation/complete"]);
  });
});

describe("cancellation", () => {
  it("cancels the request at the server when the caller disconnects (J-63)", async () => {
    const { server, ask } = await connected();
    const exchange = createFakeExchange();
    const running = ask("tools/call", { name: "t" }, {}, exchange);
    await server.nextRequest("tools/call");
    exchange.cancel();
    await expect(running).rejects.toMatchObject({ name: "TransportError", reason: "cancelled" });
    expect((await server.nextNotification("notifications/cancelled")).params).toEqual({
      requestId: 2,
      reason: "cancelled by the caller",
    });
    server.say({ jsonrpc: "2.0", id: 2, result: {} });
  });

  it("sends nothing for a caller that disconnected before the request", async () => {
    const { server, ask } = await connected();
    const exchange = createFakeExchange();
    exchange.cancel();
    await expect(ask("tools/call", { name: "t" }, {}, exchange)).rejects.toMatchObject({ reason: "cancelled" });
    expect(server.received).toHaveLength(2);
  });

  it("removes its abort listener when a request has finished", async () => {
    const { ask } = await connected({ "tools/list": () => ({ tools: [] }) });
    const exchange = createFakeExchange();
    let listeners = 0;
    const { signal } = exchange;
    signal.addEventListener = new Proxy(signal.addEventListener, { apply: () => void listeners++ });
    signal.removeEventListener = new Proxy(signal.removeEventListener, { apply: () => void listeners-- });
    await ask("tools/list", {}, {}, exchange);
    expect(listeners).toBe(0);
  });
});
