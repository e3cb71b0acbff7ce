// subscriptions/listen as a client sees it (E.2): acknowledgement, delivery, slow readers, limits and ends.
import { type Exchange, errorCode, type ModernRequest, metaKey, notificationMethod } from "@lethe/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { RecordingExchange, requestOf } from "../testing/recording-exchange.ts";
import { createMemoryBus } from "./bus.ts";
import type { ChangeKind } from "./change.ts";
import { createHub, type Hub, type HubOptions } from "./hub.ts";

const everything: ReadonlySet<ChangeKind> = new Set(["tools", "prompts", "resources", "resource", "task"]);
const SID = metaKey.subscriptionId;

afterEach(() => {
  vi.useRealTimers();
});

function hubOf(options: Partial<HubOptions> = {}): Hub {
  return createHub({ supports: () => everything, ...options });
}

function listenTo(notifications: Record<string, unknown>, id: string | number = 7): ModernRequest {
  return requestOf("subscriptions/listen", { notifications }, { id });
}

/** Begins a subscription and waits until it is acknowledged. */
async function begin(hub: Hub, exchange: RecordingExchange, request: ModernRequest) {
  const ended = hub.listen(request, exchange);
  await vi.waitFor(() => expect(exchange.sent.length).toBeGreaterThan(0), { interval: 1 });
  // In an object: an async function would wait for the promise itself.
  return { ended };
}

function methodsOf(exchange: RecordingExchange): string[] {
  return exchange.sent.map(({ method }) => method);
}

test("sends the acknowledgement first, with the effective filter (E-11)", async () => {
  const hub = hubOf({ supports: () => new Set<ChangeKind>(["tools", "resource"]) });
  const exchange = new RecordingExchange();
  await begin(
    hub,
    exchange,
    listenTo({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["test://a"] }),
  );
  hub.publish({ kind: "tools" });
  expect(exchange.sent).toEqual([
    {
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["test://a"] }, _meta: { [SID]: 7 } },
    },
    { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: { [SID]: 7 } } },
  ]);
});

test.each([0, "", "7", 7])("the subscription id keeps the type of the request id %j (A-37)", async (id) => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  const { ended } = await begin(hub, exchange, listenTo({ toolsListChanged: true }, id));
  hub.publish({ kind: "tools" });
  hub.close();
  expect(exchange.sent.map(({ params }) => params?._meta)).toEqual([{ [SID]: id }, { [SID]: id }]);
  expect(await ended).toEqual({ resultType: "complete", _meta: { [SID]: id } });
});

test("every kind of change has its own notification (E-13, F-23)", async () => {
  const hub = hubOf({ mayFollow: () => true });
  const exchange = new RecordingExchange();
  const notifications = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ["test://a"],
    taskIds: ["t1"],
  };
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  await begin(hub, exchange, requestOf("subscriptions/listen", { notifications }, { capabilities }));
  for (const kind of ["tools", "prompts", "resources"] as const) hub.publish({ kind });
  hub.publish({ kind: "resource", uri: "test://a" });
  hub.publish({ kind: "task", task: { taskId: "t1", status: "working" } });
  expect(methodsOf(exchange).slice(1)).toEqual([
    notificationMethod.toolsChanged,
    notificationMethod.promptsChanged,
    notificationMethod.resourcesChanged,
    notificationMethod.resourceUpdated,
    notificationMethod.task,
  ]);
  expect(exchange.sent.at(-2)?.params).toEqual({ uri: "test://a", _meta: { [SID]: 1 } });
  expect(exchange.sent.at(-1)?.params).toEqual({ taskId: "t1", status: "working", _meta: { [SID]: 1 } });
});

test("never delivers a kind or URI that the subscription did not request (E-12)", async () => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  await begin(hub, exchange, listenTo({ promptsListChanged: false, resourceSubscriptions: ["tools"] }));
  hub.publish({ kind: "tools" });
  hub.publish({ kind: "prompts" });
  hub.publish({ kind: "resource", uri: "test://other" });
  expect(methodsOf(exchange)).toEqual([notificationMethod.acknowledged]);
});

test("gives two concurrent subscriptions their own tagged copies (E-12)", async () => {
  const hub = hubOf();
  const [first, second] = [new RecordingExchange(), new RecordingExchange()];
  await begin(hub, first, listenTo({ toolsListChanged: true }, 1));
  await begin(hub, second, listenTo({ toolsListChanged: true }, 2));
  hub.publish({ kind: "tools" });
  expect(first.sent.at(-1)?.params).toEqual({ _meta: { [SID]: 1 } });
  expect(second.sent.at(-1)?.params).toEqual({ _meta: { [SID]: 2 } });
});

test("returns each URI verbatim and once, and silently omits forbidden ones (E-18, E-19)", async () => {
  const alice = { id: "alice" };
  const mayWatch = vi.fn(async (uri: string, { caller }: Exchange) => caller?.id === "alice" && uri !== "test://b");
  const hub = hubOf({ mayWatch });
  const exchange = new RecordingExchange(alice);
  await begin(hub, exchange, listenTo({ resourceSubscriptions: ["TEST://a", "test://b", "TEST://a", "test://c/"] }));
  expect(exchange.sent[0]?.params?.notifications).toEqual({ resourceSubscriptions: ["TEST://a", "test://c/"] });
  expect(mayWatch).toHaveBeenCalledTimes(3);
  hub.publish({ kind: "resource", uri: "test://b" });
  expect(exchange.sent).toHaveLength(1);
});

test("rejects the subscription when the check of a URI fails", async () => {
  const hub = hubOf({ mayWatch: () => Promise.reject(new Error("database down")) });
  const listening = hub.listen(listenTo({ resourceSubscriptions: ["test://a"] }), new RecordingExchange());
  await expect(listening).rejects.toThrow("database down");
  expect(hub.size).toBe(0);
});

test("acknowledges and ends a subscription with an empty effective filter at once (E-11)", async () => {
  const hub = hubOf({ supports: () => new Set<ChangeKind>() });
  const exchange = new RecordingExchange();
  const result = await hub.listen(listenTo({ toolsListChanged: true, resourceSubscriptions: ["test://a"] }), exchange);
  expect(exchange.sent[0]?.params?.notifications).toEqual({});
  expect(result).toEqual({ resultType: "complete", _meta: { [SID]: 7 } });
  expect(hub.size).toBe(0);
});

test("rejects task ids without the tasks extension with -32021 before looking up any id (F-13)", async () => {
  const mayFollow = vi.fn(() => true);
  const listening = hubOf({ mayFollow }).listen(listenTo({ taskIds: ["t1"] }), new RecordingExchange());
  await expect(listening).rejects.toMatchObject({
    code: errorCode.missingClientCapability,
    data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
  });
  expect(mayFollow).not.toHaveBeenCalled();
});

test.each([
  [{}, "notifications"],
  [{ notifications: { toolsListChanged: 1 } }, "toolsListChanged"],
  [{ notifications: { resourceSubscriptions: ["a", 1] } }, "resourceSubscriptions"],
])("rejects the malformed params %j with -32602 (E-10)", async (params, member) => {
  const listening = hubOf().listen(requestOf("subscriptions/listen", params), new RecordingExchange());
  await expect(listening).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(member) });
});

test("releases all state of a subscription when its caller disconnects (E-15)", async () => {
  const hub = hubOf({ maxStreamsPerCaller: 1 });
  const exchange = new RecordingExchange({ id: "alice" });
  const { ended } = await begin(hub, exchange, listenTo({ toolsListChanged: true, resourceSubscriptions: ["a"] }));
  exchange.leave();
  await ended;
  expect(hub.size).toBe(0);
  const notify = vi.spyOn(exchange, "notify");
  hub.publish({ kind: "tools" });
  hub.publish({ kind: "resource", uri: "a" });
  expect(notify).not.toHaveBeenCalled();
  await begin(hub, new RecordingExchange({ id: "alice" }), listenTo({ toolsListChanged: true }));
  expect(hub.size).toBe(1);
});

test("does not register a caller that disconnected before the subscription began", async () => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  exchange.leave();
  await hub.listen(listenTo({ toolsListChanged: true }), exchange);
  expect(hub.size).toBe(0);
});

test("close ends every stream with the listen result and rejects new ones (E-16, J-1)", async () => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  const { ended } = await begin(hub, exchange, listenTo({ toolsListChanged: true }));
  hub.close();
  expect(await ended).toEqual({ resultType: "complete", _meta: { [SID]: 7 } });
  const late = hub.listen(listenTo({ toolsListChanged: true }), new RecordingExchange());
  await expect(late).rejects.toMatchObject({ code: -32603, data: { retryAfterMs: expect.any(Number) } });
});

test("merges equal pending changes for a slow reader and sends one when it has caught up", async () => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  await begin(hub, exchange, listenTo({ toolsListChanged: true, resourceSubscriptions: ["test://a", "test://b"] }));
  exchange.isSlow = true;
  hub.publish({ kind: "tools" });
  for (let round = 0; round < 3; round += 1) {
    hub.publish({ kind: "resource", uri: "test://b" });
    hub.publish({ kind: "tools" });
    hub.publish({ kind: "resource", uri: "test://a" });
  }
  expect(exchange.sent).toHaveLength(2);
  expect(hub.held).toBe(3);
  exchange.isSlow = false;
  exchange.drain();
  await vi.waitFor(() => expect(hub.held).toBe(0));
  expect(exchange.sent.slice(2).map(({ method, params }) => [method, params?.uri])).toEqual([
    [notificationMethod.resourceUpdated, "test://b"],
    [notificationMethod.toolsChanged, undefined],
    [notificationMethod.resourceUpdated, "test://a"],
  ]);
});

test("sends a slow reader one change after each read", async () => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  exchange.isSlow = true;
  await begin(hub, exchange, listenTo({ toolsListChanged: true, promptsListChanged: true }));
  hub.publish({ kind: "tools" });
  hub.publish({ kind: "prompts" });
  expect(methodsOf(exchange)).toEqual([notificationMethod.acknowledged]);
  exchange.drain();
  await vi.waitFor(() => expect(exchange.waiting).toBe(1));
  expect(methodsOf(exchange)).toEqual([notificationMethod.acknowledged, notificationMethod.toolsChanged]);
  exchange.drain();
  await vi.waitFor(() => expect(exchange.sent).toHaveLength(3));
});

test("sends a slow reader its pending changes before the end (E-16)", async () => {
  const hub = hubOf();
  const exchange = new RecordingExchange();
  exchange.isSlow = true;
  const { ended } = await begin(hub, exchange, listenTo({ toolsListChanged: true }));
  hub.publish({ kind: "tools" });
  hub.close();
  await ended;
  expect(methodsOf(exchange)).toEqual([notificationMethod.acknowledged, notificationMethod.toolsChanged]);
});

test("5,000 unread streams queue a bounded number of changes", async () => {
  const hub = hubOf();
  const exchanges = Array.from({ length: 5_000 }, () => new RecordingExchange());
  for (const [index, exchange] of exchanges.entries()) {
    exchange.isSlow = true;
    void hub.listen(listenTo({ toolsListChanged: true, resourceSubscriptions: [`test://${index}`] }), exchange);
  }
  await vi.waitFor(() => expect(hub.size).toBe(5_000), { timeout: 20_000 });
  for (let index = 0; index < 1_000; index += 1) {
    hub.publish({ kind: "tools" });
    hub.publish({ kind: "resource", uri: `test://${index}` });
  }
  await vi.waitFor(() => expect(hub.held).toBe(5_000 + 1_000), { timeout: 20_000 });
  expect(Math.max(...exchanges.map(({ sent }) => sent.length))).toBe(1);
  expect(Math.max(...exchanges.map(({ waiting }) => waiting))).toBe(1);
  hub.close();
});

test("a change to one URI touches only the streams that watch it", async () => {
  const hub = hubOf();
  const exchanges = Array.from({ length: 100 }, () => new RecordingExchange());
  for (const [index, exchange] of exchanges.entries()) {
    await begin(hub, exchange, listenTo({ resourceSubscriptions: [`test://${index}`] }));
  }
  const notified = exchanges.map((exchange) => vi.spyOn(exchange, "notify"));
  hub.publish({ kind: "resource", uri: "test://99" });
  expect(notified.filter((notify) => notify.mock.calls.length > 0)).toHaveLength(1);
});

test("ends a stream instead of notifying it when the caller's credentials have expired (G-5)", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const hub = hubOf();
  const exchange = new RecordingExchange({ id: "alice", expiresAt: Date.now() + 60_000 });
  const { ended } = await begin(hub, exchange, listenTo({ toolsListChanged: true }));
  hub.publish({ kind: "tools" });
  vi.setSystemTime(Date.now() + 60_000);
  hub.publish({ kind: "tools" });
  await ended;
  expect(exchange.sent).toHaveLength(2);
  expect(hub.size).toBe(0);
});

test("limits the number of streams in total and per caller (E-18)", async () => {
  const hub = hubOf({ maxStreams: 3, maxStreamsPerCaller: 2 });
  const open = (id?: string) =>
    hub.listen(listenTo({ toolsListChanged: true }), new RecordingExchange(id === undefined ? undefined : { id }));
  void open("alice");
  void open("alice");
  await expect(open("alice")).rejects.toMatchObject({ code: -32603, data: { retryAfterMs: 5000 } });
  void open("bob");
  await expect(open()).rejects.toThrow("at most 3 subscriptions");
  expect(hub.size).toBe(3);
});

test("a stream watches at most maxUrisPerStream different URIs", async () => {
  const hub = hubOf({ maxUrisPerStream: 2 });
  const exchange = new RecordingExchange();
  await begin(hub, exchange, listenTo({ resourceSubscriptions: ["a", "b", "a"] }));
  const refused = hub.listen(listenTo({ resourceSubscriptions: ["a", "b", "c"] }), new RecordingExchange());
  await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("at most 2") });
});

test("a closed hub unsubscribes from the bus without closing it", () => {
  const leave = vi.fn();
  const close = vi.fn();
  hubOf({ bus: { publish: () => {}, subscribe: () => leave, close } }).close();
  expect(leave).toHaveBeenCalledOnce();
  expect(close).not.toHaveBeenCalled();
});

test("every hub on one bus receives a change published at another", async () => {
  const bus = createMemoryBus();
  const [here, there] = [hubOf({ bus }), hubOf({ bus })];
  const exchange = new RecordingExchange();
  await begin(there, exchange, listenTo({ toolsListChanged: true }));
  here.publish({ kind: "tools" });
  expect(methodsOf(exchange)).toEqual([notificationMethod.acknowledged, notificationMethod.toolsChanged]);
  there.close();
  here.publish({ kind: "tools" });
  expect(exchange.sent).toHaveLength(2);
});

/** Begins this many subscriptions. */
async function beginMany(hub: Hub, count: number, notifications: Record<string, unknown>) {
  const exchanges = Array.from({ length: count }, () => new RecordingExchange());
  for (const exchange of exchanges) void hub.listen(listenTo(notifications), exchange);
  await vi.waitFor(() => expect(hub.size).toBe(count), { interval: 1 });
  const countOf = (method: string) => exchanges.filter((exchange) => methodsOf(exchange).includes(method)).length;
  return { exchanges, countOf };
}

test("a change for thousands of streams is delivered over several turns of the event loop", async () => {
  const hub = hubOf();
  const { countOf } = await beginMany(hub, 1_200, { toolsListChanged: true });
  vi.useFakeTimers();
  hub.publish({ kind: "tools" });
  const counts = [countOf(notificationMethod.toolsChanged)];
  while (vi.getTimerCount() > 0) {
    vi.runOnlyPendingTimers();
    counts.push(countOf(notificationMethod.toolsChanged));
  }
  expect(counts).toEqual([500, 1_000, 1_200]);
});

test("changes that follow one for thousands of streams keep their order, and those of one topic are merged", async () => {
  const hub = hubOf();
  const { exchanges } = await beginMany(hub, 600, { toolsListChanged: true, promptsListChanged: true });
  vi.useFakeTimers();
  for (const kind of ["tools", "prompts", "prompts", "tools", "prompts"] as const) hub.publish({ kind });
  vi.runAllTimers();
  const { toolsChanged, promptsChanged } = notificationMethod;
  expect(new Set(exchanges.map((exchange) => methodsOf(exchange).slice(1).join()))).toEqual(
    new Set([[toolsChanged, promptsChanged, toolsChanged].join()]),
  );
});

test("closing delivers the changes that thousands of streams still wait for", async () => {
  const hub = hubOf();
  const { countOf } = await beginMany(hub, 1_200, { toolsListChanged: true });
  hub.publish({ kind: "tools" });
  hub.close();
  expect(countOf(notificationMethod.toolsChanged)).toBe(1_200);
});
