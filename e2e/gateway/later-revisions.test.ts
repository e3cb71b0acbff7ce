// Messages of a revision that the gateway does not know: it relays them between callers and servers that both speak it, or rejects them.
import { type JsonObject, metaKey } from "@lethe/protocol";
import { type GatewaySettings, type LogEntry, serveGateway, type UpstreamConfig } from "lethe/gateway";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunningGateway, runGateway } from "./in-process.ts";
import { type LaterServer, later, startLaterServer } from "./testing/later-server.ts";

let server: LaterServer;
let running: RunningGateway | undefined;
beforeEach(async () => {
  server = await startLaterServer();
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await server.close();
});

interface Plan {
  readonly policy?: NonNullable<GatewaySettings["policy"]>;
  readonly upstream?: Partial<UpstreamConfig>;
  readonly callers?: string[];
}

async function start({ policy, upstream, callers }: Plan = {}): Promise<void> {
  const up = { kind: "http", name: "up", url: server.url, headers: { authorization: "Bearer of the gateway" } };
  running = await runGateway({
    upstreams: [{ ...up, ...upstream } as UpstreamConfig],
    ...(policy && { settings: { policy } }),
    ...(callers && { callers }),
  });
}

interface Message extends JsonObject {
  readonly error?: { readonly code: number; readonly message: string; readonly data: JsonObject };
  readonly result?: JsonObject;
}

interface Sending {
  readonly revision?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly capabilities?: JsonObject;
  readonly isNotification?: boolean;
}

/** All messages of the response. */
async function sendAll(method: string, params: JsonObject = {}, sending: Sending = {}): Promise<Message[]> {
  const { revision = later, path = "/up", headers = {}, capabilities = {}, isNotification = false } = sending;
  const _meta = {
    [metaKey.protocolVersion]: revision,
    [metaKey.clientCapabilities]: capabilities,
    ...(params._meta as JsonObject | undefined),
  };
  const response = await fetch(`${running?.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...(!isNotification && { id: 1 }), method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  if (!response.headers.get("content-type")?.includes("event-stream")) return text === "" ? [] : [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(String(data)));
}

/** The gateway with its log and metrics. */
async function operate(): Promise<{ log: LogEntry[]; metrics(): Promise<string>; close(): Promise<void> }> {
  const log: LogEntry[] = [];
  const up: UpstreamConfig = { kind: "http", name: "up", url: server.url, headers: {} };
  const config = { upstreams: [up], settings: { port: 0, log: "json" as const } };
  const load = async () => ({ config, notes: [], files: [], secrets: [] });
  const served = await serveGateway({ load, watches: false, log: (entry) => void log.push(entry) });
  await served.gateway.settled;
  running = { url: served.url, close: () => served.close() } as RunningGateway;
  const metrics = async () => (await fetch(new URL("/metrics", served.url))).text();
  return { log, metrics, close: () => served.close() };
}

async function send(method: string, params?: JsonObject, sending?: Sending): Promise<Message> {
  return (await sendAll(method, params, sending)).at(-1) as Message;
}

const rejected = { error: { code: -32022, data: { supported: ["2026-07-28"], requested: later } } };

describe("at the endpoint of a server that speaks it, a later revision", () => {
  it("is offered to all callers, and its description is that of the server without what the gateway handles itself", async () => {
    await start();
    const supportedVersions = [later, "2026-07-28"];
    expect(await send("server/discover", {}, { revision: "2026-07-28" })).toMatchObject({
      result: { supportedVersions },
    });
    const { result } = await send("server/discover");
    const capabilities = { tools: {}, prompts: {}, agents: {}, extensions: { "com.example/x": {} } };
    expect(result).toMatchObject({ supportedVersions, cacheScope: "private" });
    expect(result?.capabilities).toEqual(capabilities);
  });

  it("is relayed with unknown members, methods, capabilities and result types, under the gateway's name and credentials", async () => {
    await start();
    const capabilities = {
      gestures: { wave: {} },
      extensions: { "io.modelcontextprotocol/tasks": {}, "com.example/x": {} },
    };
    const headers = { authorization: "Bearer of the caller" };
    const params = { name: "greet", arguments: { a: 1 }, mood: "new" };
    const { result } = await send("tools/call", params, { capabilities, headers });
    expect(result).toMatchObject({ resultType: "hologram", hologram: params });
    const { result: ran } = await send("agents/run", { agent: "a" });
    expect(ran).toMatchObject({ ran: "a", cacheScope: "private" });
    expect((await send("tools/list")).result).toMatchObject({ tools: [{}, {}, { name: "newer", shape: "unknown" }] });
    const call = server.received.find(({ method }) => method === "tools/call");
    expect(call?.headers).toMatchObject({ authorization: "Bearer of the gateway", "mcp-protocol-version": later });
    expect(call?.params._meta).toMatchObject({
      [metaKey.protocolVersion]: later,
      [metaKey.clientCapabilities]: { gestures: { wave: {} }, extensions: { "com.example/x": {} } },
      [metaKey.clientInfo]: { name: "lethe-gateway" },
    });
    expect(call?.params._meta[metaKey.clientCapabilities]).not.toHaveProperty([
      "extensions",
      "io.modelcontextprotocol/tasks",
    ]);
  });

  it("is named in the log, the metrics and the admin API, for relayed requests only", async () => {
    const { log, metrics } = await operate();
    await send("tools/call", { name: "greet", arguments: {} });
    await send("tools/list", {}, { revision: "2026-07-28" });
    const requests = log.filter(({ event }) => event === "request");
    expect(requests.map(({ method, revision }) => [method, revision])).toEqual([
      ["tools/call", later],
      ["tools/list", undefined],
    ]);
    const relayed = (await metrics()).match(/^lethe_requests_total\{.*revision=.*$/gm);
    expect(relayed).toEqual([
      `lethe_requests_total{method="tools/call",upstream="up",outcome="hologram",revision="${later}"} 1`,
    ]);
    const admin = await fetch(new URL("/admin/v1/exchanges", running?.url));
    const { exchanges } = (await admin.json()) as { exchanges: JsonObject[] };
    expect(exchanges.at(-1)).toMatchObject({ method: "tools/call", revision: later });
  });

  it("keeps unknown notifications of a request, and progress under the caller's own token", async () => {
    await start();
    const messages = await sendAll("tools/call", { name: "stream", _meta: { progressToken: "mine" } });
    expect(messages).toMatchObject([
      { method: "notifications/thought", params: { text: "hm" } },
      { method: "notifications/progress", params: { progressToken: "mine" } },
      { result: { content: [] } },
    ]);
    const call = server.received.find(({ params }) => params.name === "stream");
    expect(call?.params._meta.progressToken).not.toBe("mine");
  });

  it("passes notifications of its callers on", async () => {
    await start();
    await sendAll("notifications/com.example/x.read", { mark: 1 }, { isNotification: true });
    expect(server.later()).toEqual(["notifications/com.example/x.read"]);
  });

  it("has states of the gateway, which no other caller can use", async () => {
    await start({ callers: ["ann", "bob"] });
    const as = (caller: string) => ({ headers: { authorization: running?.authorizationOf(caller) ?? "" } });
    const call = { name: "ask", arguments: {} };
    const { result } = await send("tools/call", call, as("ann"));
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { who: { method: "elicitation/gesture" } },
    });
    expect(result?.requestState).not.toBe("state of the server");
    const retry = { ...call, requestState: result?.requestState, inputResponses: { who: { waved: true } } };
    expect(await send("tools/call", retry, as("bob"))).toMatchObject({ error: { code: -32602 } });
    const answered = { answered: { who: { waved: true } }, state: "state of the server" };
    expect((await send("tools/call", retry, as("ann"))).result).toMatchObject(answered);
    expect(await send("tools/call", { ...call, requestState: "state of the server" }, as("ann"))).toMatchObject({
      error: { code: -32602 },
    });
  });

  it.each(["subscriptions/listen", "tasks/get", "tasks/cancel", "initialize"])(
    "is rejected for %s, which the gateway handles by itself",
    async (method) => {
      await start();
      const answer = await send(method, { taskId: "t", notifications: {} }, { headers: { "mcp-name": "t" } });
      expect(answer).toMatchObject(rejected);
      expect(server.later()).toEqual([]);
    },
  );

  it("needs the caller to authenticate and to repeat the method in its header", async () => {
    await start({ callers: ["ann"] });
    expect(await send("tools/call", { name: "greet" })).not.toHaveProperty("result");
    const headers = { authorization: running?.authorizationOf("ann") ?? "", "mcp-method": "tools/list" };
    expect(await send("tools/call", { name: "greet" }, { headers })).toMatchObject({ error: { code: -32020 } });
    const foreign = { authorization: running?.authorizationOf("ann") ?? "", origin: "https://evil.example" };
    expect(await send("tools/call", { name: "greet" }, { headers: foreign })).not.toHaveProperty("result");
    expect(server.later()).toEqual([]);
  });
});

describe("a later revision is rejected with the supported ones", () => {
  const bodyOf = () => send("tools/call", { name: "greet", arguments: {} });

  it("at the merged endpoint", async () => {
    await start();
    expect(await send("tools/call", { name: "up__greet" }, { path: "" })).toMatchObject(rejected);
    const { result } = await send("server/discover", {}, { path: "", revision: "2026-07-28" });
    expect(result?.supportedVersions).toEqual(["2026-07-28"]);
  });

  it("if the server does not speak it", async () => {
    server.supported = ["2026-07-28"];
    await start();
    expect(await bodyOf()).toMatchObject(rejected);
    expect(await send("tools/list", {}, { revision: "2099-02-02" })).toMatchObject({ error: { code: -32022 } });
  });

  it.each<[string, Partial<UpstreamConfig>]>([
    ["the operator rejects it", { laterRevisions: "reject" }],
    ["the tools of the server are restricted", { tools: { deny: ["secret"] } }],
    ["the extensions of the server are restricted", { extensions: { deny: ["com.example/y"] } }],
  ])("if %s", async (_, upstream) => {
    await start({ upstream });
    expect(await bodyOf()).toMatchObject(rejected);
    const { result } = await send("server/discover", {}, { revision: "2026-07-28" });
    expect(result?.supportedVersions).toEqual(["2026-07-28"]);
    expect(server.later()).toEqual([]);
  });

  it("after the server was replaced by an older one", async () => {
    await start();
    expect(await bodyOf()).toHaveProperty("result");
    server.supported = ["2026-07-28"];
    expect(await bodyOf()).toMatchObject(rejected);
    const supported = async () =>
      (await send("server/discover", {}, { revision: "2026-07-28" })).result?.supportedVersions;
    await vi.waitFor(async () => expect(await supported()).toEqual(["2026-07-28"]));
    const before = server.later().length;
    expect(await bodyOf()).toMatchObject(rejected);
    expect(server.later()).toHaveLength(before);
    // Never repeated in another revision.
    expect(
      server.received.some(
        ({ method, params }) => method === "tools/call" && params._meta[metaKey.protocolVersion] !== later,
      ),
    ).toBe(false);
  });
});

describe("with a policy, a later revision", () => {
  const policy: NonNullable<GatewaySettings["policy"]> = [
    { effect: "deny", tools: ["secret", "newer"] },
    { effect: "allow", methods: ["*"] },
  ];

  it("is relayed for allowed names in messages of the known shape", async () => {
    await start({ policy });
    expect(await send("tools/call", { name: "greet", arguments: {} })).toHaveProperty("result.hologram");
    const { result } = await send("tools/list");
    expect(result?.tools).toEqual([expect.objectContaining({ name: "greet" })]);
  });

  it.each<[string, JsonObject]>([
    ["a denied tool", { name: "secret", arguments: {} }],
    ["a denied tool that only the later revision has", { name: "newer", arguments: {} }],
  ])("denies %s as unknown", async (_, params) => {
    await start({ policy });
    expect(await send("tools/call", params)).toMatchObject({ error: { code: -32602 } });
    expect(server.later()).toEqual([]);
  });

  it.each<[string, string, JsonObject]>([
    ["an unknown member", "tools/call", { name: "greet", arguments: {}, tool: "secret" }],
    [
      "an unknown reserved key of _meta",
      "tools/call",
      { name: "greet", _meta: { "io.modelcontextprotocol/tool": "secret" } },
    ],
    ["an unknown method", "agents/run", { agent: "secret" }],
    ["an unknown method of a known group", "tools/invoke", { name: "secret" }],
    ["a method of an extension", "com.example/x.do", {}],
  ])("is rejected for a message with %s, which the gateway cannot check", async (_, method, params) => {
    await start({ policy });
    expect(await send(method, params)).toMatchObject(rejected);
    expect(server.later()).toEqual([]);
  });
});
