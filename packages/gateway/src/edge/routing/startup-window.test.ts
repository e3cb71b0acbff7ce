import { type Dispatch, method } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CatalogView } from "../../catalog/catalog-view.ts";
import { catalogOf, rulesOf, toolOf } from "../../testing/catalogs.ts";
import { createFakeExchange, done, requestOf } from "../../testing/fakes.ts";
import { afterStartup, createStartupWindow } from "./startup-window.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The merged endpoint of the upstreams "quick", which has been read, and "slow", which has not. `only` makes it that of one. */
function begin({ only }: { only?: string } = {}) {
  const names = only === undefined ? ["quick", "slow"] : [only];
  const rules = (name: string) => ({ ...rulesOf(name), ...(only !== undefined && { prefix: "" }) });
  const view = new CatalogView({ upstreams: () => names.map((name) => ({ name, rules: rules(name) })) });
  const read = new Set(["quick"]);
  const update = () =>
    view.update((name) => (read.has(name) ? catalogOf(name, { tools: [toolOf("run")] }) : undefined));
  update();
  let resolve = () => {};
  const started = new Promise<void>((settle) => {
    resolve = settle;
  });
  let resolveRead = () => {};
  let rejectRead = (_: Error) => {};
  const untilRead = vi.fn(
    () =>
      new Promise<void>((settle, reject) => {
        resolveRead = settle;
        rejectRead = reject;
      }),
  );
  const dispatch = vi.fn<Dispatch>(async () => done);
  const startup = createStartupWindow(started, 5_000);
  const next = vi.fn<Dispatch>(async () => done);
  let isReplaced = false;
  const successor = () => (isReplaced ? next : undefined);
  const mayCall = (_: unknown, upstream: string, tool: string) => upstream === "slow" && tool !== "secret";
  const waiting = { startup, view, only: () => only, untilRead, mayCall, successor };
  const endpoint = afterStartup(dispatch, waiting);
  return {
    ...{ dispatch, next, untilRead },
    replace() {
      isReplaced = true;
    },
    ask: (name: string, params = {}, exchange = createFakeExchange(), meta = {}) =>
      endpoint(requestOf(name, params, { meta }), exchange),
    readSlow() {
      read.add("slow");
      update();
    },
    started: () => resolve(),
    slowIsRead: () => resolveRead(),
    slowFails: () => rejectRead(new Error("it did not start")),
  };
}

describe("the startup window of an endpoint with several upstreams", () => {
  it.each([method.listTools, method.discover])("%s waits until every upstream was read", async (name) => {
    const { ask, dispatch, started } = begin();
    const asking = ask(name);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(dispatch).not.toHaveBeenCalled();
    started();
    expect(await asking).toBe(done);
  });

  it("a call of a known tool does not wait in the startup window", () => {
    const { ask, dispatch } = begin();
    void ask(method.callTool, { name: "quick__run" });
    expect(dispatch).toHaveBeenCalledOnce();
  });

  it("a call of a tool at a starting upstream waits for the whole start", async () => {
    const { ask, dispatch, untilRead, started, slowIsRead } = begin();
    started();
    await vi.advanceTimersByTimeAsync(5_000);
    const asking = ask(method.callTool, { name: "slow__run" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(untilRead.mock.calls).toEqual([["slow"]]);
    expect(dispatch).not.toHaveBeenCalled();
    slowIsRead();
    expect(await asking).toBe(done);
  });

  it("a waiting call gets progress if it requested progress", async () => {
    const { ask } = begin();
    const exchange = createFakeExchange();
    void ask(method.callTool, { name: "slow__run" }, exchange, { progressToken: 7 });
    await vi.advanceTimersByTimeAsync(11_000);
    expect(exchange.notes).toHaveLength(3);
    expect(exchange.notes[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 7, progress: expect.any(Number), message: 'upstream "slow" is starting' },
    });
  });

  it("the endpoint itself answers a call whose upstream does not start", async () => {
    const { ask, dispatch, slowFails } = begin();
    const asking = ask(method.callTool, { name: "slow__run" });
    slowFails();
    expect(await asking).toBe(done);
    expect(dispatch).toHaveBeenCalledOnce();
  });

  it("a tool that its caller may not call waits for no start", async () => {
    const { ask, untilRead } = begin();
    void ask(method.callTool, { name: "slow__secret" });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(untilRead).not.toHaveBeenCalled();
  });

  it("a list waits for a limited time, and only once", async () => {
    const { ask, dispatch } = begin();
    void ask(method.listTools);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(dispatch).toHaveBeenCalledOnce();
    void ask(method.listTools);
    expect(dispatch).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a request that waited is answered by the current configuration of its endpoint", async () => {
    const { ask, dispatch, next, replace, started } = begin();
    const asking = ask(method.listTools);
    replace();
    started();
    expect(await asking).toBe(done);
    expect([dispatch.mock.calls.length, next.mock.calls.length]).toEqual([0, 1]);
  });

  it("no request waits after every upstream was read", () => {
    const { ask, dispatch, readSlow } = begin();
    readSlow();
    void ask(method.listTools);
    expect(dispatch).toHaveBeenCalledOnce();
  });
});

describe("the startup window of an endpoint with one upstream", () => {
  it.each([method.discover, method.listTools])(
    "%s waits up to 50 s for the start of the only upstream",
    async (name) => {
      const { ask, dispatch } = begin({ only: "slow" });
      void ask(name);
      await vi.advanceTimersByTimeAsync(49_999);
      expect(dispatch).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(dispatch).toHaveBeenCalledOnce();
    },
  );

  it.each([
    [method.callTool, { name: "run" }],
    [method.getPrompt, { name: "p" }],
    [method.readResource, { uri: "a:b" }],
    [method.complete, { ref: { type: "ref/prompt", name: "p" } }],
  ])("%s waits for the whole start of the only upstream", async (name, params) => {
    const { ask, dispatch, slowIsRead } = begin({ only: "slow" });
    void ask(name, params);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(dispatch).not.toHaveBeenCalled();
    slowIsRead();
    await vi.advanceTimersByTimeAsync(0);
    expect(dispatch).toHaveBeenCalledOnce();
  });

  it("a waiting call is answered by the current endpoint after a configuration change", async () => {
    const { ask, next, replace, slowFails } = begin({ only: "slow" });
    const asking = ask(method.callTool, { name: "run" });
    replace();
    slowFails();
    expect(await asking).toBe(done);
    expect(next).toHaveBeenCalledOnce();
  });
});
