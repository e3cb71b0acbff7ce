import { type Dispatch, method } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CatalogView } from "../catalog/catalog-view.ts";
import { catalogOf, rulesOf, toolOf } from "../testing/catalogs.ts";
import { createFakeExchange, done, requestOf } from "../testing/fakes.ts";
import { afterBeginning, createBeginning } from "./beginning.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** An endpoint with the upstreams "quick", which has been read, and "slow", which has not. */
function begin() {
  const view = new CatalogView({
    upstreams: () => ["quick", "slow"].map((name) => ({ name, rules: rulesOf(name) })),
  });
  const read = new Set(["quick"]);
  const update = () =>
    view.update((name) => (read.has(name) ? catalogOf(name, { tools: [toolOf("run")] }) : undefined));
  update();
  let resolve = () => {};
  const started = new Promise<void>((settle) => {
    resolve = settle;
  });
  const dispatch = vi.fn<Dispatch>(async () => done);
  const beginning = createBeginning(started, 5_000);
  const next = vi.fn<Dispatch>(async () => done);
  let isReplaced = false;
  const successor = () => (isReplaced ? next : undefined);
  const endpoint = afterBeginning(dispatch, { beginning: () => beginning, view, successor });
  return {
    ...{ dispatch, next },
    replace() {
      isReplaced = true;
    },
    ask: (name: string, tool?: string) => endpoint(requestOf(name, tool ? { name: tool } : {}), createFakeExchange()),
    readSlow() {
      read.add("slow");
      update();
    },
    started: () => resolve(),
  };
}

describe("what comes before every upstream was read", () => {
  it.each([
    ["a list", method.listTools, undefined],
    ["the question what is offered", method.discover, undefined],
    ["a tool that nobody has yet", method.callTool, "slow__run"],
  ])("%s waits for that", async (_, name, tool) => {
    const { ask, dispatch, started } = begin();
    const asking = ask(name, tool);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(dispatch).not.toHaveBeenCalled();
    started();
    expect(await asking).toBe(done);
  });

  it("a tool that is there already does not", () => {
    const { ask, dispatch } = begin();
    void ask(method.callTool, "quick__run");
    expect(dispatch).toHaveBeenCalledOnce();
  });

  it("nothing waits for ever, nor a second time", async () => {
    const { ask, dispatch } = begin();
    void ask(method.listTools);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(dispatch).toHaveBeenCalledOnce();
    void ask(method.listTools);
    expect(dispatch).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("what waited is answered by whatever serves its endpoint then", async () => {
    const { ask, dispatch, next, replace, started } = begin();
    const asking = ask(method.listTools);
    replace();
    started();
    expect(await asking).toBe(done);
    expect([dispatch.mock.calls.length, next.mock.calls.length]).toEqual([0, 1]);
  });

  it("nothing waits at an endpoint that has all its own", () => {
    const { ask, dispatch, readSlow } = begin();
    readSlow();
    void ask(method.listTools);
    expect(dispatch).toHaveBeenCalledOnce();
  });
});
