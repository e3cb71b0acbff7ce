import {
  type Dispatch,
  type JsonObject,
  McpError,
  type ModernRequest,
  metaKey,
  type Result,
  tasksExtension,
} from "@lethe/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Client } from "./client.ts";
import { defaultClientInfo } from "./client-info.ts";
import { connect } from "./connect.ts";
import type { ConnectOptions } from "./create-connect.ts";

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

type Serve = (request: ModernRequest, exchange: Parameters<Dispatch>[1]) => Partial<Result> | Promise<Partial<Result>>;

const discover = { supportedVersions: ["2026-07-28"], capabilities: {}, ttlMs: 0, cacheScope: "private" };

/** A client of a server in this process that answers by `serve`. */
async function start(serve: Serve, options: ConnectOptions = {}) {
  const asked: ModernRequest[] = [];
  const dispatch: Dispatch = async (request, exchange) => {
    if (request.method === "server/discover") return { resultType: "complete", ...discover };
    asked.push(request);
    return { resultType: "complete", ...(await serve(request, exchange)) };
  };
  const client = await connect({ dispatch, info: { name: "fake" } }, options);
  clients.push(client);
  return { client, asked };
}

const content = [{ type: "text", text: "hi" }];

test("every request contains the client's identity and capabilities (A.2)", async () => {
  const { client, asked } = await start(() => ({ content }), { elicit: () => ({ action: "decline" }) });
  await client.callTool("t");
  expect(asked[0]?.params).toEqual({
    name: "t",
    arguments: {},
    _meta: {
      [metaKey.protocolVersion]: "2026-07-28",
      [metaKey.clientCapabilities]: { elicitation: { form: {} }, extensions: { [tasksExtension]: {} } },
      [metaKey.clientInfo]: defaultClientInfo,
    },
  });
  expect(client.capabilities).toEqual({ elicitation: { form: {} }, extensions: { [tasksExtension]: {} } });
});

test("tasks are declared unless disabled, in addition to other extensions (F-1)", async () => {
  const capabilities = { extensions: { "a.b/c": {} } };
  const { client } = await start(() => ({ content }), { capabilities });
  expect(client.capabilities).toEqual({ extensions: { "a.b/c": {}, [tasksExtension]: {} } });
  const { client: without } = await start(() => ({ content }), { capabilities, tasks: false });
  expect(without.capabilities).toEqual(capabilities);
});

test("a client may stay anonymous", async () => {
  const { client, asked } = await start(() => ({ content }), { info: false });
  await client.callTool("t");
  expect(asked[0]?.params._meta[metaKey.clientInfo]).toBeUndefined();
});

test("each method returns its result unchanged", async () => {
  const results: Record<string, JsonObject> = {
    "tools/call": { content, isError: true, structuredContent: null },
    "resources/read": { contents: [{ uri: "u", text: "x" }], ttlMs: 0 },
    "prompts/get": { messages: [] },
    "completion/complete": { completion: { values: ["a"] } },
  };
  const { client, asked } = await start(({ method }) => results[method] ?? {});
  const complete = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } } as const;
  expect(await client.callTool("t", { a: 1 })).toMatchObject(results["tools/call"] as object);
  expect(await client.readResource("u")).toMatchObject(results["resources/read"] as object);
  expect(await client.getPrompt("p", { a: "1" })).toMatchObject(results["prompts/get"] as object);
  expect(await client.complete(complete)).toMatchObject(results["completion/complete"] as object);
  expect(await client.request("x/custom", { a: 1 })).toEqual({ resultType: "complete" });
  expect((await client.discover()).supportedVersions).toEqual(["2026-07-28"]);
  expect(asked.map(({ params: { _meta, ...params } }) => params)).toEqual([
    { name: "t", arguments: { a: 1 } },
    { uri: "u" },
    { name: "p", arguments: { a: "1" } },
    complete,
    { a: 1 },
  ]);
});

test("the error for a result without its main member names that member", async () => {
  const { client } = await start(() => ({}));
  await expect(client.callTool("t")).rejects.toThrow(
    /tools\/call to fake: expected "content" to be an array, got nothing/,
  );
  await expect(client.listTools()).rejects.toThrow(/"tools"/);
});

test("lists are read page by page, or at once", async () => {
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  const { client, asked } = await start(({ params }) =>
    params.cursor === undefined ? { tools: [tool("a")], nextCursor: "" } : { tools: [tool("b")] },
  );
  for await (const { name } of client.tools()) {
    expect(name).toBe("a");
    break;
  }
  expect(asked).toHaveLength(1);
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["a", "b"]);
});

test("prompts, resources and templates are read like tools", async () => {
  const { client } = await start(({ method }) => ({
    prompts: [{ name: method }],
    resources: [{ uri: method, name: "" }],
    resourceTemplates: [{ uriTemplate: method, name: "" }],
  }));
  expect(await client.listPrompts()).toEqual([{ name: "prompts/list" }]);
  expect(await client.listResources()).toEqual([{ uri: "resources/list", name: "" }]);
  expect(await client.listResourceTemplates()).toEqual([{ uriTemplate: "resources/templates/list", name: "" }]);
});

test("progress and log messages of a call reach its caller (E-35, E-40)", async () => {
  const { client, asked } = await start(({ params }, exchange) => {
    const { progressToken } = params._meta;
    exchange.notify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress: 1, total: 2 },
    });
    exchange.notify({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "other", progress: 9 },
    });
    exchange.notify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
    return { content };
  });
  const onProgress = vi.fn();
  const onLog = vi.fn();
  await client.callTool("t", {}, { onProgress, onLog, logLevel: "debug" });
  expect(onProgress.mock.calls).toEqual([[{ progress: 1, total: 2 }]]);
  expect(onLog.mock.calls).toEqual([[{ level: "info", data: "x" }]]);
  expect(asked[0]?.params._meta[metaKey.logLevel]).toBe("debug");
});

test("concurrent calls have different progress tokens, none of them 0 (E-35, J-20)", async () => {
  const { client, asked } = await start(() => ({ content }));
  const onProgress = () => {};
  await Promise.all([client.callTool("a", {}, { onProgress }), client.callTool("b", {}, { onProgress })]);
  expect(asked.map(({ params }) => params._meta.progressToken)).toEqual([1, 2]);
});

test("a throwing listener does not affect the call", async () => {
  const onWarning = vi.fn();
  const { client } = await start(
    ({ params }, exchange) => {
      const { progressToken } = params._meta;
      exchange.notify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } });
      return { content };
    },
    { onWarning },
  );
  const onProgress = () => {
    throw new Error("oops");
  };
  expect((await client.callTool("t", {}, { onProgress })).content).toEqual(content);
  expect(onWarning).toHaveBeenCalledWith(expect.stringContaining("oops"));
});

test("trace context and further metadata are sent (H-1)", async () => {
  const { client, asked } = await start(() => ({ content }));
  await client.callTool("t", {}, { trace: { traceparent: "00-x" }, meta: { "example.com/a": 1 } });
  expect(asked[0]?.params._meta).toMatchObject({ traceparent: "00-x", "example.com/a": 1 });
});

test("a call can have its own time limit (E-36)", async () => {
  const { client } = await start(() => new Promise(() => {}));
  await expect(client.callTool("t", {}, { timeoutMs: 5 })).rejects.toMatchObject({ reason: "timeout" });
});

test("middleware wraps every request, the first one outermost", async () => {
  const order: string[] = [];
  const named =
    (name: string) =>
    (next: Dispatch): Dispatch =>
    (request, exchange) => {
      order.push(name);
      return next(request, exchange);
    };
  const { client } = await start(() => ({ content }), { middleware: [named("a"), named("b")] });
  await client.callTool("t");
  expect(order).toEqual(["a", "b"]);
});

test("fresh lists are served from the cache until a change notification (E-51, E-55)", async () => {
  let change = () => {};
  const { client, asked } = await start((request, exchange) => {
    if (request.method === "tools/list") return { tools: [], ttlMs: 60_000, cacheScope: "private" };
    const params = { notifications: { toolsListChanged: true }, _meta: { [metaKey.subscriptionId]: request.id } };
    exchange.notify({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params });
    change = () => void exchange.notify({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params });
    return new Promise(() => {});
  });
  const onChange = vi.fn();
  await client.subscribe({ toolsListChanged: true }, onChange);
  await client.listTools();
  await client.listTools();
  expect(asked.filter(({ method }) => method === "tools/list")).toHaveLength(1);
  change();
  expect(onChange).toHaveBeenCalledWith({ kind: "tools", isSynthetic: false });
  await client.listTools();
  expect(asked.filter(({ method }) => method === "tools/list")).toHaveLength(2);
});

test.each([
  ["callTool", { name: "forecast", arguments: { city: "Oslo" } }, 'got object: write callTool("name", { …arguments })'],
  ["readResource", { uri: "file:///a" }, 'got object: write readResource("uri")'],
  ["getPrompt", undefined, 'got undefined: write getPrompt("name", { …arguments })'],
] as const)(
  "%s rejects a first argument that is no string, and shows the right call",
  async (call, wrong, expected) => {
    const { client, asked } = await start(() => ({ content }));
    const method = client[call].bind(client) as (first: unknown) => Promise<unknown>;
    await expect(method(wrong)).rejects.toThrow(expected);
    expect(asked).toEqual([]);
  },
);

describe("input requests of a server (E.3)", () => {
  const question = {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object", properties: { n: { type: "string" } } } },
  };
  const serve: Serve = ({ params }) =>
    params.requestState === "s"
      ? { content }
      : { resultType: "input_required", inputRequests: { k: question }, requestState: "s" };

  test("the handlers answer, and the call is repeated with a new id and a new progress token (E-24, E-31)", async () => {
    const { client, asked } = await start(serve, { elicit: () => ({ action: "accept", content: { n: "x" } }) });
    const result = await client.callTool("t", { a: 1 }, { onProgress: () => {}, meta: { "example.com/a": 1 } });
    expect(result.content).toEqual(content);
    const [first, second] = asked;
    expect(second?.params).toEqual({
      name: "t",
      arguments: { a: 1 },
      inputResponses: { k: { action: "accept", content: { n: "x" } } },
      requestState: "s",
      _meta: { ...first?.params._meta, progressToken: 2 },
    });
    expect(second?.id).not.toBe(first?.id);
  });

  test("a manual call returns the input requests, and the next call sends the answers", async () => {
    const { client, asked } = await start(serve);
    const asks = await client.callTool("t", {}, { manual: true });
    expect(asks).toMatchObject({ resultType: "input_required", requestState: "s" });
    const input = { requestState: "s", inputResponses: { k: { action: "decline" } } };
    expect(await client.callTool("t", {}, { manual: true, input })).toMatchObject({ content });
    expect(asked[1]?.params).toMatchObject(input);
  });

  test("concurrent calls do not mix their requestState (E-26)", async () => {
    const { client } = await start(
      ({ params }) => {
        const { name, requestState } = params as { name?: string; requestState?: string };
        if (requestState === undefined) {
          return { resultType: "input_required", inputRequests: { k: question }, requestState: `s-${name}` };
        }
        return requestState === `s-${name}` ? { content } : Promise.reject(new McpError(-32602, "mixed up"));
      },
      { elicit: async () => ({ action: "decline" }) },
    );
    await Promise.all(["a", "b", "c"].map((name) => client.callTool(name)));
  });

  test("prompts and resources can request input too", async () => {
    const { client } = await start(
      async (request, exchange) => ({ ...(await serve(request, exchange)), messages: [], contents: [] }),
      { elicit: () => ({ action: "cancel" }) },
    );
    expect((await client.getPrompt("p")).messages).toEqual([]);
    expect((await client.readResource("u")).contents).toEqual([]);
  });
});

test("a closed client rejects calls", async () => {
  const { client } = await start(() => ({ content }));
  await client.close();
  await client.close();
  await expect(client.callTool("t")).rejects.toMatchObject({ reason: "closed" });
});

test("an invalid target is rejected with an explanation", async () => {
  await expect(connect("not a URL")).rejects.toThrow(/expected the URL of a server/);
  await expect(connect({ command: "node" })).rejects.toThrow(/@lethe\/client\/node/);
});
