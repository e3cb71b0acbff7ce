// Legacy clients on stdio: both eras in one process, chosen per message (C-17, D.4).
import { createLineDecoder, type JsonObject } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import type { ServerOptions } from "../../server-options.ts";
import { createStdioEdge } from "../../stdio/stdio-edge.ts";
import { toInitialize } from "../../testing/legacy-client.ts";
import { createFixture } from "../../testing/legacy-fixture.ts";
import { requestOf } from "../../testing/messages.ts";
import { createMemorySessionStore } from "../shared/session-store.ts";

/** A client at the other end of stdio. */
function open(options: ServerOptions = {}, heldBytes = 0) {
  const fixture = createFixture(options);
  const lines: JsonObject[] = [];
  let wake = (): void => {};
  const decoder = createLineDecoder({
    onLine: (line) => {
      lines.push(JSON.parse(line));
      wake();
    },
    onTooLong: () => {},
  });
  const sink = {
    write: (text: string) => {
      decoder.push(new TextEncoder().encode(text));
      return true;
    },
    heldBytes: () => heldBytes,
    drained: () => Promise.resolve(),
    schedule: (flush: () => void) => queueMicrotask(flush),
  };
  const edge = createStdioEdge(fixture.server, sink);
  const next = async (): Promise<JsonObject> => {
    while (lines.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return lines.shift() as JsonObject;
  };
  return {
    fixture,
    edge,
    lines,
    next,
    send: (message: JsonObject | unknown[]) => edge.receiveLine(JSON.stringify(message)),
    async initialize(revision = "2025-11-25", capabilities: JsonObject = {}) {
      this.send(toInitialize(revision, capabilities));
      const response = await next();
      this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      return response;
    },
  };
}

const call = (name: string, id: unknown = 1, args: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("a legacy client on stdio", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "completes initialize and a call in %s",
    async (revision) => {
      const client = open();
      expect(await client.initialize(revision)).toMatchObject({ id: 0, result: { protocolVersion: revision } });
      client.send(call("greet", "x", { name: "Ada" }));
      expect(await client.next()).toEqual({
        jsonrpc: "2.0",
        id: "x",
        result: { content: [{ type: "text", text: "hello Ada" }] },
      });
    },
  );

  it("may send requests without waiting for the result of initialize", async () => {
    const client = open();
    client.send(toInitialize("2025-11-25"));
    client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    client.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    client.send(call("greet", 2, { name: "Ada" }));
    await client.edge.finish();
    expect(client.lines.map(({ id }) => id).sort()).toEqual([0, 1, 2]);
    expect(client.lines[0]?.id).toBe(0);
  });

  it("needs no scopes, because stdio has no authentication (C-15)", async () => {
    const client = open();
    await client.initialize();
    client.send(call("secret"));
    expect(await client.next()).toMatchObject({ result: { content: [{ text: "42" }] } });
  });

  it("receives input requests during a call, one round after the other (D-50)", async () => {
    const client = open();
    await client.initialize("2025-06-18", { elicitation: {} });
    client.send(call("ask"));
    const who = await client.next();
    client.send({ jsonrpc: "2.0", id: who.id, result: { action: "accept", content: { name: "Ada" } } });
    const age = await client.next();
    client.send({ jsonrpc: "2.0", id: age.id, result: { action: "accept", content: { age: 36 } } });
    expect(await client.next()).toMatchObject({ result: { content: [{ text: "Ada is 36" }] } });
  });

  it("cancels a call by notifications/cancelled (D-27)", async () => {
    const client = open();
    await client.initialize();
    client.send({ ...call("wait", 5), params: { name: "wait", _meta: { progressToken: 1 } } });
    expect(await client.next()).toMatchObject({ method: "notifications/progress" });
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    await vi.waitUntil(() => client.fixture.aborted === 1, { interval: 1 });
    client.send({ jsonrpc: "2.0", id: 6, method: "ping" });
    expect(await client.next()).toMatchObject({ id: 6 });
  });

  it("receives change notifications only after notifications/initialized (D-21)", async () => {
    const client = open();
    client.send(toInitialize("2025-11-25"));
    await client.next();
    client.fixture.server.toolsChanged();
    client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    client.send({ jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "test://a" } });
    expect(await client.next()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    client.fixture.server.resourceUpdated("test://a");
    expect(await client.next()).toMatchObject({ method: "notifications/resources/updated" });
    client.fixture.server.toolsChanged();
    expect(await client.next()).toMatchObject({ method: "notifications/tools/list_changed" });
  });

  it("gets a batch of responses to a batch of 2025-03-26 (D-31)", async () => {
    const client = open();
    await client.initialize("2025-03-26");
    client.send([{ jsonrpc: "2.0", id: 1, method: "ping" }, call("greet", 2, { name: "A" }), 7]);
    expect(await client.next()).toMatchObject([{ error: {} }, { id: 1 }, { id: 2 }]);
  });

  it("gets an error for a batch in other revisions", async () => {
    const client = open();
    await client.initialize("2025-06-18");
    client.send([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
    expect(await client.next()).toMatchObject({ error: { code: -32600 } });
  });

  it("may initialize again, which ends the calls and streams of the previous session", async () => {
    const client = open();
    await client.initialize("2025-11-25");
    client.send({ ...call("wait", 5), params: { name: "wait", _meta: { progressToken: 1 } } });
    expect(await client.next()).toMatchObject({ method: "notifications/progress" });
    expect(await client.initialize("2024-11-05")).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    expect(client.fixture.aborted).toBe(1);
    client.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
    expect(await client.next()).toMatchObject({ id: 1, error: { code: -32602 } });
    client.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(await client.next()).toMatchObject({ id: 2, result: {} });
  });
});

describe("a message to a legacy client on stdio", () => {
  it("is sent once, even if the client repeats notifications/initialized", async () => {
    const client = open();
    await client.initialize();
    client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    client.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    await client.next();
    client.fixture.server.toolsChanged();
    client.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(await client.next()).toMatchObject({ method: "notifications/tools/list_changed" });
    expect(await client.next()).toMatchObject({ id: 2 });
  });

  it("is not sent in answer to an invalid notification (J-32)", async () => {
    const client = open();
    await client.initialize();
    client.send({ jsonrpc: "1.0", method: "notifications/initialized" });
    client.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(await client.next()).toMatchObject({ id: 1, result: {} });
  });

  it("is only a response while the client reads too slowly", async () => {
    const client = open({}, 2 * 1024 * 1024);
    await client.initialize();
    client.send({ ...call("progress", 1), params: { name: "progress", _meta: { progressToken: 1 } } });
    expect(await client.next()).toMatchObject({ id: 1, result: {} });
  });

  it("about a task has the form of 2025-11-25 (D-38)", async () => {
    const client = open();
    client.fixture.server.tool("job", { task: "always", handler: () => "done" });
    await client.initialize();
    client.send({ ...call("job", 1), params: { name: "job", task: {} } });
    const { task } = (await client.next()).result as { task: JsonObject };
    client.send({ jsonrpc: "2.0", id: 2, method: "tasks/get", params: { taskId: task.taskId } });
    let told = await client.next();
    while (told.method === "notifications/tasks/status") told = await client.next();
    expect(told).toMatchObject({ id: 2, result: { taskId: task.taskId, ttl: task.ttl } });
  });
});

describe("clients of both eras on one stdio connection", () => {
  it("are both answered (D.4/7)", async () => {
    const client = open();
    client.send(requestOf("server/discover", {}, "m1"));
    expect(await client.next()).toMatchObject({ id: "m1", result: { resultType: "complete" } });
    await client.initialize();
    client.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect((await client.next()).result).not.toHaveProperty("resultType");
    client.send(requestOf("tools/list", {}, 1));
    expect(await client.next()).toMatchObject({ id: 1, result: { resultType: "complete" } });
  });

  it("a request without metadata is an invalid modern request before initialize (A-20)", async () => {
    const client = open();
    client.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(await client.next()).toMatchObject({ id: 1, error: { code: -32602 } });
    client.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(await client.next()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    client.send([{ jsonrpc: "2.0", id: 3, method: "ping" }]);
    expect(await client.next()).toMatchObject({ error: { code: -32600 } });
  });

  it.each(["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"])(
    "%s does not exist in the modern era (J-26)",
    async (method) => {
      const client = open();
      await client.initialize();
      client.send(requestOf(method, { level: "info", uri: "test://a", protocolVersion: "2025-11-25" }, 9));
      expect(await client.next()).toMatchObject({ id: 9, error: { code: -32601 } });
    },
  );

  it.each(["server/discover", "subscriptions/listen"])("%s does not exist in the legacy era", async (method) => {
    const client = open();
    await client.initialize();
    client.send({ jsonrpc: "2.0", id: 9, method, params: {} });
    expect(await client.next()).toMatchObject({ id: 9, error: { code: -32602 } });
  });

  it("a cancellation reaches the era whose request it names", async () => {
    const client = open();
    await client.initialize();
    const meta = (requestOf("x").params as JsonObject)._meta as JsonObject;
    client.send(requestOf("tools/call", { name: "wait", _meta: { ...meta, progressToken: 2 } }, 5));
    expect(await client.next()).toMatchObject({ method: "notifications/progress" });
    client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } });
    await vi.waitUntil(() => client.fixture.aborted === 1, { interval: 1 });
  });
});

it("no input request is sent after the end of input", async () => {
  const client = open();
  const { server } = client.fixture;
  let goOn = (): void => {};
  server.tool("late", {
    async handler(_, ctx) {
      ctx.progress(1);
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return (await ctx.roots()).length.toString();
    },
  });
  await client.initialize("2025-11-25", { roots: {} });
  client.send({ ...call("late", 5), params: { name: "late", _meta: { progressToken: 1 } } });
  expect(await client.next()).toMatchObject({ method: "notifications/progress" });
  const finished = client.edge.finish();
  goOn();
  expect(await client.next()).toMatchObject({ id: 5, error: { message: expect.stringContaining("has gone") } });
  await finished;
});

it("the end of input lets calls finish, fails input requests and deletes the session", async () => {
  const store = createMemorySessionStore();
  const forget = vi.spyOn(store, "forget");
  const client = open({ legacy: { store } });
  await client.initialize("2025-11-25", { elicitation: {} });
  client.send({ ...call("wait", 5), params: { name: "wait", _meta: { progressToken: 1 } } });
  expect(await client.next()).toMatchObject({ method: "notifications/progress" });
  client.send(call("ask", 6));
  expect(await client.next()).toMatchObject({ method: "elicitation/create" });
  const finished = client.edge.finish();
  expect(await client.next()).toMatchObject({ id: 6, error: { message: expect.stringContaining("has gone") } });
  client.fixture.release();
  await finished;
  expect(client.lines).toMatchObject([{ id: 5, result: {} }]);
  expect(forget).toHaveBeenCalledOnce();
});
