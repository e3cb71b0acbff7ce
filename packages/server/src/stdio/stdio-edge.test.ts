// The stdio edge (C), line by line.
import { type Dispatch, isJsonObject, type JsonObject, type ModernRequest, type Result } from "@lethe/protocol";
import { describe, expect, it, vi } from "vitest";
import type { LegacyEdge, Servable } from "../http/servable.ts";
import { aborted, holdDispatch } from "../testing/held-dispatch.ts";
import { callOf, metaOf, progress, requestOf, version } from "../testing/messages.ts";
import type { Sink } from "./line-writer.ts";
import { createStdioEdge, type StdioEdge, type StdioOptions } from "./stdio-edge.ts";

const complete: Result = { resultType: "complete", content: [] };
const dispatch: Dispatch = async () => complete;

/** A sink that records its writes, and reads as slowly as the test requires. */
class TestSink implements Sink {
  readonly writes: string[] = [];
  isFlowing = true;
  held = 0;
  #waiting: (() => void)[] = [];

  write(text: string): boolean {
    this.writes.push(text);
    if (!this.isFlowing) this.held += text.length;
    return this.isFlowing;
  }

  heldBytes(): number {
    return this.held;
  }

  drained(): Promise<void> {
    return this.held === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  schedule(flush: () => void): void {
    process.nextTick(flush);
  }

  drain(): void {
    this.held = 0;
    this.isFlowing = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get messages(): JsonObject[] {
    const lines = this.writes.join("").split("\n");
    expect(lines.pop()).toBe("");
    return lines.map((line) => JSON.parse(line));
  }
}

function edgeOf(servable: Servable, options?: StdioOptions): { edge: StdioEdge; sink: TestSink } {
  const sink = new TestSink();
  return { edge: createStdioEdge(servable, sink, options), sink };
}

/** The responses to these lines, in order. */
async function answers(
  lines: unknown[],
  servable: Servable = { dispatch },
  options?: StdioOptions,
): Promise<JsonObject[]> {
  const { edge, sink } = edgeOf(servable, options);
  for (const line of lines) edge.receiveLine(typeof line === "string" ? line : JSON.stringify(line));
  await edge.finish();
  return sink.messages;
}

describe("a line on stdio", () => {
  it.each([0, -1, "", "a"])("with a request of id %j is answered with that id (A-5)", async (id) => {
    expect(await answers([callOf("add", id)])).toEqual([{ jsonrpc: "2.0", id, result: complete }]);
  });

  it.each<[string, unknown, number, unknown]>([
    ["that is not JSON", '{"jsonrpc":', -32700, undefined],
    ["with an array (B-6)", [callOf()], -32600, undefined],
    ["with an id that is null", callOf("add", null), -32600, undefined],
    ["with params that are an array", { ...callOf("add", 3), params: [] }, -32600, 3],
    ["without metadata (A-20)", { jsonrpc: "2.0", id: 3, method: "tools/list" }, -32602, 3],
    [
      "with an unsupported version (D-1)",
      requestOf("tools/list", { _meta: metaOf({ "io.modelcontextprotocol/protocolVersion": "v9" }) }),
      -32022,
      1,
    ],
    [
      "with the handshake of an older revision (D-5)",
      { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } },
      -32022,
      0,
    ],
  ])("%s is rejected with %s", async (_what, line, code, id) => {
    const [answer] = await answers([line]);
    expect(answer).toMatchObject({ error: { code } });
    expect(answer?.id).toBe(id);
  });

  it("with a legacy initialize is answered with the supported revisions (D-5, A-44)", async () => {
    const [answer] = await answers([{ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "x" } }]);
    expect(answer?.error).toMatchObject({ data: { supported: [version], requested: "x" } });
  });

  it.each<[string, unknown]>([
    ["an unknown notification", { jsonrpc: "2.0", method: "notifications/unknown" }],
    ["a broken notification (J-32)", { jsonrpc: "2.0", method: "notifications/cancelled", params: 7 }],
    [
      "a cancellation of nothing (C-6)",
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } },
    ],
    [
      "a malformed cancellation (C-6)",
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: null } },
    ],
    ["a response (A-3)", { jsonrpc: "2.0", id: 1, result: {} }],
  ])("with %s is not answered", async (_what, line) => {
    expect(await answers([line])).toEqual([]);
  });

  it("with a failing request is answered with the McpError, and other errors are hidden", async () => {
    const onError = vi.fn();
    const failing: Dispatch = ({ params }) => {
      if (params.name === "throws") throw new Error("secret");
      return params.name === "big"
        ? Promise.resolve({ resultType: "complete", big: 1n })
        : Promise.reject(new Error("secret"));
    };
    const lines = ["throws", "rejects", "big"].map((name, id) => callOf(name, id));
    const given = await answers(lines, { dispatch: failing }, { onError });
    expect(given.map(({ error }) => error)).toEqual(Array(3).fill({ code: -32603, message: "internal error" }));
    expect(onError).toHaveBeenCalledTimes(3);
  });
});

describe("a running request on stdio", () => {
  it("sends its notifications before its result, and none afterwards (C-4)", async () => {
    const held = holdDispatch();
    const { edge, sink } = edgeOf(held);
    edge.receiveLine(JSON.stringify(callOf()));
    const exchange = await held.exchange;
    expect(exchange.notify(progress)).toBe(true);
    held.finish();
    await edge.finish();
    exchange.notify(progress);
    await exchange.drained();
    expect(sink.messages).toEqual([progress, { jsonrpc: "2.0", id: 1, result: complete }]);
    expect([exchange.caller, exchange.headers, exchange.signal.aborted]).toEqual([undefined, undefined, true]);
  });

  it("is aborted by its cancellation and never answered (C-6)", async () => {
    const held = holdDispatch();
    const onError = vi.fn();
    const { edge, sink } = edgeOf(held, { onError });
    edge.receiveLine(JSON.stringify(callOf("add", "x")));
    const exchange = await held.exchange;
    const { signal } = exchange;
    expect(signal.aborted).toBe(false);
    edge.receiveLine(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "x" } }));
    await aborted(signal);
    exchange.notify(progress);
    held.fail(signal.reason);
    await edge.finish();
    expect(sink.messages).toEqual([]);
    expect(onError).not.toHaveBeenCalled();
  });

  it("has an aborted signal if it is read after the cancellation", async () => {
    const held = holdDispatch();
    const { edge } = edgeOf(held);
    edge.receiveLine(JSON.stringify(callOf()));
    edge.receiveLine(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }));
    expect((await held.exchange).signal.aborted).toBe(true);
  });

  it("excludes another request with the same id, where number and string are different ids (A-2)", async () => {
    const held = holdDispatch();
    const { edge, sink } = edgeOf({
      dispatch: (request, exchange) =>
        request.id === 1 ? held.dispatch(request, exchange) : dispatch(request, exchange),
    });
    for (const id of [1, 1, "1"]) edge.receiveLine(JSON.stringify(callOf("add", id)));
    held.finish();
    await edge.finish();
    expect(sink.messages.map(({ id, error }) => [id, isJsonObject(error) ? error.code : "ok"])).toEqual(
      expect.arrayContaining([
        [1, -32600],
        ["1", "ok"],
        [1, "ok"],
      ]),
    );
  });

  it("counts for the limit of concurrent requests, even after its cancellation until it stops", async () => {
    const held = holdDispatch();
    const { edge, sink } = edgeOf(held, { maxConcurrentRequests: 1 });
    edge.receiveLine(JSON.stringify(callOf("add", 1)));
    edge.receiveLine(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }));
    edge.receiveLine(JSON.stringify(callOf("add", 2)));
    held.finish();
    await edge.finish();
    expect(sink.messages).toMatchObject([{ id: 2, error: { code: -32603, data: { retryAfterMs: 1000 } } }]);
    edge.receiveLine(JSON.stringify(callOf("add", 3)));
    await edge.finish();
    expect(sink.messages.at(-1)).toMatchObject({ id: 3, result: complete });
  });
});

describe("a notification on stdio", () => {
  const notification = { jsonrpc: "2.0", method: "notifications/com.example/read", params: { mark: 1 } };

  it("of an extension reaches a server that passes notifications on, and has no response even if that fails", async () => {
    const received: ModernRequest[] = [];
    const failing: Dispatch = async (request) => {
      received.push(request);
      throw new Error("broken");
    };
    expect(await answers([notification], { dispatch: failing, takesNotifications: true })).toEqual([]);
    expect(received).toMatchObject([{ method: notification.method, isNotification: true, params: { mark: 1 } }]);
    expect(await answers([notification], { dispatch: failing })).toEqual([]);
    expect(received).toHaveLength(1);
  });

  it("is dropped over the limit of concurrent requests, and does not keep requests from running", async () => {
    const held = holdDispatch();
    const dispatched = vi.fn(held.dispatch);
    const { edge, sink } = edgeOf({ dispatch: dispatched, takesNotifications: true }, { maxConcurrentRequests: 1 });
    edge.receiveLine(JSON.stringify(notification));
    edge.receiveLine(JSON.stringify(notification));
    edge.receiveLine(JSON.stringify(callOf("add", 1)));
    expect(dispatched.mock.calls.map(([request]) => request.method)).toEqual([notification.method, "tools/call"]);
    held.finish();
    await edge.finish();
    expect(sink.messages).toMatchObject([{ id: 1, result: complete }]);
  });

  it("is cancelled when the output is cut off", async () => {
    const held = holdDispatch();
    const { edge } = edgeOf({ dispatch: held.dispatch, takesNotifications: true });
    edge.receiveLine(JSON.stringify(notification));
    edge.cutOff();
    expect((await held.exchange).signal.aborted).toBe(true);
  });
});

describe("the output on stdio", () => {
  it("is written once per turn of the event loop", async () => {
    const { edge, sink } = edgeOf({ dispatch });
    for (let id = 1; id <= 20; id++) edge.receiveLine(JSON.stringify(callOf("add", id)));
    await edge.finish();
    expect(sink.writes).toHaveLength(1);
    expect(sink.messages.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("is written earlier in pieces of 4 KiB, so that the client can continue while the server works", async () => {
    const { edge, sink } = edgeOf({ dispatch: async () => ({ ...complete, text: "x".repeat(1_000) }) });
    for (let id = 1; id <= 10; id++) edge.receiveLine(JSON.stringify(callOf("add", id)));
    await edge.finish();
    expect(sink.writes.map((lines) => lines.split("\n").length - 1)).toEqual([4, 4, 2]);
  });

  it("makes `notify` return false while the client reads slowly, and drops notifications over the limit", async () => {
    const held = holdDispatch();
    const { edge, sink } = edgeOf(held, { maxBufferedBytes: 10_000 });
    sink.isFlowing = false;
    edge.receiveLine(JSON.stringify(callOf()));
    const exchange = await held.exchange;
    let accepted = 0;
    exchange.notify(progress);
    const drained = exchange.drained();
    for (let more = 0; more < 1_000; more++) if (exchange.notify(progress)) accepted++;
    expect(accepted).toBe(0);
    sink.drain();
    await drained;
    expect(exchange.notify(progress)).toBe(true);
    held.finish();
    await edge.finish();
    expect(sink.messages.length).toBeLessThan(200);
    expect(sink.messages.at(-1)).toMatchObject({ id: 1, result: complete });
  });

  it("contains every change of a subscription, even if other requests have filled the buffer", async () => {
    const held = holdDispatch();
    const { edge, sink } = edgeOf(held, { maxBufferedBytes: 10 });
    sink.isFlowing = false;
    sink.held = 1_000;
    edge.receiveLine(JSON.stringify(requestOf("subscriptions/listen", { notifications: {} }, "s")));
    (await held.exchange).notify(progress);
    sink.drain();
    held.finish();
    await edge.finish();
    expect(sink.messages).toEqual([progress]);
  });

  it("is empty after `cutOff`, which aborts running requests", async () => {
    const held = holdDispatch();
    const { edge, sink } = edgeOf(held);
    edge.receiveLine(JSON.stringify(callOf()));
    const { signal } = await held.exchange;
    edge.cutOff();
    expect(signal.aborted).toBe(true);
    edge.receiveLine("{");
    held.finish();
    await edge.finish();
    expect(sink.writes).toEqual([]);
  });

  it("contains an error for a line that cannot be read", async () => {
    const { edge, sink } = edgeOf({ dispatch });
    edge.refuse("a line of 9 bytes is too long");
    await edge.finish();
    expect(sink.messages).toMatchObject([{ error: { code: -32600, message: expect.stringContaining("9 bytes") } }]);
  });
});

describe("the end of input on stdio", () => {
  it("ends subscriptions at once and waits for everything else (C-8)", async () => {
    const listening = holdDispatch();
    const calling = holdDispatch();
    const { edge, sink } = edgeOf({
      dispatch: (request, exchange) =>
        (request.method === "tools/call" ? calling : listening).dispatch(request, exchange),
    });
    edge.receiveLine(JSON.stringify(requestOf("subscriptions/listen", { notifications: {} }, "s")));
    edge.receiveLine(JSON.stringify(callOf()));
    const { signal } = await listening.exchange;
    const finished = edge.finish();
    await aborted(signal);
    listening.finish();
    calling.finish();
    await finished;
    expect(sink.messages).toEqual([{ jsonrpc: "2.0", id: 1, result: complete }]);
  });
});

it("closes the legacy connection, which handles its own messages (C-17)", async () => {
  const close = vi.fn(() => Promise.resolve());
  const cutOff = vi.fn();
  const legacy: LegacyEdge = {
    paths: [],
    claims: () => false,
    receiveCall: () => expect.unreachable(),
    connect: (wire) => ({
      receiveMessage: (message: unknown) => {
        const isMine = isJsonObject(message) && message.method === "initialize";
        if (isMine) wire.send('{"legacy":true}');
        return isMine;
      },
      close,
      cutOff,
    }),
    close() {},
  };
  expect(await answers([{ method: "initialize" }, callOf()], { dispatch, legacy })).toEqual([
    { legacy: true },
    { jsonrpc: "2.0", id: 1, result: complete },
  ]);
  expect(close).toHaveBeenCalledOnce();
});
