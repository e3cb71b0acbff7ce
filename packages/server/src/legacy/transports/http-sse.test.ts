// HTTP+SSE of 2024-11-05 on both platforms (D-32).
import { isJsonObject, type JsonObject } from "@lethe/protocol";
import { expect, it, vi } from "vitest";
import type { Authenticator } from "../../auth/authenticator.ts";
import { type Client, describeMatrix } from "../../testing/http-platforms.ts";
import { eventsOf, type RawEvent, take, toInitialize } from "../../testing/legacy-client.ts";
import { createFixture } from "../../testing/legacy-fixture.ts";
import type { RelayedPost, StreamRelay } from "../shared/stream-relay.ts";

const bare = { "mcp-protocol-version": undefined, "mcp-method": undefined, "mcp-name": undefined };
const eventStream = { accept: "text/event-stream" };

interface SseClient {
  readonly endpoint: string;
  readonly events: AsyncGenerator<RawEvent, void>;
  post(body: JsonObject | unknown[], headers?: JsonObject): Promise<number>;
  /** The next message of the stream. */
  next(): Promise<JsonObject>;
  leave(): Promise<void>;
}

/** POSTs may reach another process. */
async function connect(
  client: Client,
  path = "/sse",
  headers: Record<string, string> = {},
  other = client,
): Promise<SseClient> {
  const { answer, leave } = client.open({ verb: "GET", path, headers: { ...eventStream, ...headers } });
  const events = eventsOf(await answer);
  const endpoint = await take(events);
  expect(endpoint.event).toBe("endpoint");
  return {
    endpoint: endpoint.data ?? "",
    events,
    async post(body, more) {
      const sent = await other.send({ path: endpoint.data ?? "", body, headers: { ...bare, ...headers, ...more } });
      return sent.status;
    },
    async next() {
      const { event, data } = await take(events);
      expect(event).toBe("message");
      return JSON.parse(data ?? "");
    },
    async leave() {
      leave();
      await events.return();
    },
  };
}

async function initialize(client: SseClient, capabilities: JsonObject = {}): Promise<JsonObject> {
  expect(await client.post(toInitialize("2024-11-05", capabilities))).toBe(202);
  const response = await client.next();
  await client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return response;
}

/** Accepts "Bearer NAME SCOPE". */
function createAuth(): Authenticator {
  return {
    authenticate: async (authorization) => {
      const [, id = "", scope = ""] = (authorization ?? "").split(" ");
      return { id, scopes: [scope] };
    },
    challenge: () => "",
    metadata: undefined,
    metadataPaths: [],
  };
}

/** A relay between servers in one process. */
function createRelays() {
  const listeners = new Map<string, (post: RelayedPost) => void>();
  const relays = {
    gone: new Set<string>(),
    failure: undefined as Error | undefined,
    at: (address: string): StreamRelay => ({
      address,
      async send(to, post) {
        if (relays.failure) throw relays.failure;
        if (!relays.gone.has(to)) listeners.get(to)?.(post);
        return !relays.gone.has(to);
      },
      listen(listener) {
        listeners.set(address, listener);
        return () => void listeners.delete(address);
      },
    }),
  };
  return relays;
}

const call = (name: string, id: unknown = 1): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

describeMatrix("HTTP+SSE", (platform) => {
  it("sends the endpoint event first, and responses on the stream (D-32)", async () => {
    await using client = await platform.open(createFixture().server, { path: "/mcp" });
    const old = await connect(client);
    expect(old.endpoint).toMatch(/^\/messages\?session_id=[\w-]{16}$/);
    expect(await initialize(old)).toMatchObject({ id: 0, result: { protocolVersion: "2024-11-05" } });
    expect(await old.post({ jsonrpc: "2.0", id: 1, method: "ping" })).toBe(202);
    expect(await old.next()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    await old.leave();
  });

  it("also works at the MCP endpoint, for a client that requests only an event stream there", async () => {
    await using client = await platform.open(createFixture().server, { path: "/mcp" });
    const old = await connect(client, "/mcp?key=k");
    expect(old.endpoint).toMatch(/^\/mcp\?key=k&session_id=[\w-]{16}$/);
    expect(await initialize(old)).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    await old.leave();
  });

  it("leaves a client with a session to Streamable HTTP, at any path", async () => {
    await using client = await platform.open(createFixture().server);
    const headers = { ...bare, ...eventStream, "mcp-session-id": "s" };
    expect((await client.send({ verb: "GET", path: "/sse", headers })).status).toBe(404);
  });

  it("keeps the path at which the server is mounted, and never names another origin", async () => {
    await using client = await platform.open(createFixture().server);
    const below = await connect(client, "/x/sse");
    expect(below.endpoint).toMatch(/^\/x\/messages\?/);
    await below.leave();
    const doubled = await connect(client, "//evil.example/sse");
    expect(doubled.endpoint).toMatch(/^\/evil\.example\/messages\?/);
    await doubled.leave();
  });

  it("sends input requests and change notifications on the stream", async () => {
    const { server } = createFixture();
    await using client = await platform.open(server);
    const old = await connect(client);
    await initialize(old, { sampling: {} });
    await old.post(call("think"));
    const question = await old.next();
    expect(question).toMatchObject({ method: "sampling/createMessage", params: { maxTokens: 1 } });
    await old.post({
      jsonrpc: "2.0",
      id: question.id,
      result: { role: "assistant", model: "m", content: { type: "text", text: "4" } },
    });
    expect(await old.next()).toMatchObject({ id: 1, result: { content: [{ text: expect.stringContaining("4") }] } });
    await old.post({ jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "test://a" } });
    expect(await old.next()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    server.resourceUpdated("test://a");
    expect(await old.next()).toMatchObject({ method: "notifications/resources/updated", params: { uri: "test://a" } });
    server.toolsChanged();
    expect(await old.next()).toMatchObject({ method: "notifications/tools/list_changed" });
    await old.leave();
  });

  it.each(["/sse", "/mcp"])("at %s accepts POSTs that reach another process if there is a relay", async (path) => {
    const relays = createRelays();
    const auth = createAuth();
    const options = (address: string) => ({ auth, legacy: { relay: relays.at(address) } });
    await using here = await platform.open(createFixture(options("here")).server, { path: "/mcp" });
    await using there = await platform.open(createFixture(options("there")).server, { path: "/mcp" });
    const ada = { authorization: "Bearer ada" };
    const old = await connect(here, path, ada, there);
    expect(old.endpoint).toMatch(/session_id=here\.[\w-]{16}$/);
    expect(await initialize(old, { sampling: {} })).toMatchObject({ id: 0 });
    await old.post(call("think"));
    const question = await old.next();
    const content = { type: "text", text: "4" };
    await old.post({ jsonrpc: "2.0", id: question.id, result: { role: "assistant", model: "m", content } });
    expect(await old.next()).toMatchObject({ id: 1, result: { content: [{ text: expect.stringContaining("4") }] } });
    // POSTs of another caller and POSTs to an unknown stream are rejected.
    await old.post({ jsonrpc: "2.0", id: 2, method: "ping" }, { authorization: "Bearer bob" });
    await old.post({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await old.next()).toMatchObject({ id: 3 });
    relays.failure = new Error("away");
    expect(await old.post({ jsonrpc: "2.0", id: 4, method: "ping" })).toBe(503);
    relays.failure = undefined;
    await old.leave();
    relays.gone.add("here");
    expect(await old.post({ jsonrpc: "2.0", id: 4, method: "ping" })).toBe(404);
  });

  it("closing the stream ends the session and its calls", async () => {
    const fixture = createFixture();
    await using client = await platform.open(fixture.server);
    const old = await connect(client);
    await initialize(old);
    await old.post({ ...call("wait"), params: { name: "wait", _meta: { progressToken: 1 } } });
    expect(await old.next()).toMatchObject({ method: "notifications/progress" });
    await old.leave();
    await vi.waitUntil(() => fixture.aborted === 1, { interval: 1 });
    expect(await old.post({ jsonrpc: "2.0", id: 3, method: "ping" })).toBe(404);
  });

  it("a stream accepts POSTs of its caller only", async () => {
    const auth = createAuth();
    await using client = await platform.open(createFixture({ auth }).server);
    const ada = await connect(client, "/sse", { authorization: "Bearer ada" });
    expect(await ada.post(toInitialize("2024-11-05"), { authorization: "Bearer eve" })).toBe(404);
    await initialize(ada);
    await ada.post(call("secret"));
    expect(await ada.next()).toMatchObject({ error: { message: expect.stringContaining("scope") } });
    // Each POST authenticates by itself: here the same caller, with another scope.
    await ada.post(call("secret", 2), { authorization: "Bearer ada read" });
    expect(await ada.next()).toMatchObject({ id: 2, result: { content: [{ text: "42" }] } });
    await ada.leave();
  });

  it("messages before initialize and modern messages are rejected on the stream", async () => {
    await using client = await platform.open(createFixture().server);
    const old = await connect(client);
    await old.post(call("greet"));
    expect(await old.next()).toMatchObject({ id: 1, error: { code: -32600 } });
    await old.post({ jsonrpc: "2.0", id: 2, method: "initialize" });
    expect(await old.next()).toMatchObject({ id: 2, error: { code: -32602 } });
    await old.post({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await old.next()).toEqual({ jsonrpc: "2.0", id: 3, result: {} });
    await old.leave();
  });

  it("is limited in the number of clients, ends with the server, and can be turned off", async () => {
    const { server } = createFixture({ legacy: { maxSessions: 1 } });
    await using client = await platform.open(server);
    const old = await connect(client);
    expect((await client.send({ verb: "GET", path: "/sse", headers: eventStream })).status).toBe(503);
    await server.close();
    expect((await old.events.next()).done).toBe(true);
    await using without = await platform.open(createFixture({ legacy: { sse: false } }).server);
    expect((await without.send({ verb: "GET", headers: eventStream })).status).toBe(400);
  });

  it("every POST to an unknown stream is rejected", async () => {
    await using client = await platform.open(createFixture().server);
    const answer = await client.send({
      path: "/messages?session_id=x",
      headers: bare,
      body: toInitialize("2024-11-05"),
    });
    expect([answer.status, isJsonObject(await answer.json())]).toEqual([404, true]);
  });
});
