import {
  type Dispatch,
  type Exchange,
  method,
  notificationMethod,
  type Result,
  type ServerCapabilities,
  toAcknowledged,
} from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rulesOf, toolOf } from "../testing/catalogs.ts";
import { CatalogView, type ListKind } from "./catalog-view.ts";
import { LiveCatalog, type LiveCatalogOptions } from "./live-catalog.ts";

/** Not a fake one. */
const nextTurn = setImmediate;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(1);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An upstream whose tools a test changes, and tells of. */
function createSource(name: string, capabilities: ServerCapabilities = { tools: { listChanged: true } }) {
  const streams: { tell(): void; end(): void }[] = [];
  const source = {
    name,
    isKept: true,
    tools: ["a"],
    reads: 0,
    ttlMs: 0,
    isDeaf: false,
    /** Undefined answers; an Error fails; "hang" never answers. */
    fault: undefined as Error | "hang" | undefined,
    streams,
    dispatch: (async ({ method: asked, id }, exchange: Exchange): Promise<Result> => {
      if (asked === method.listen && source.isDeaf) throw new Error("no streams today");
      if (asked === method.listen) {
        exchange.notify(toAcknowledged(id, { toolsListChanged: true }));
        return new Promise((resolve) => {
          const stream = {
            tell: () => void exchange.notify({ jsonrpc: "2.0", method: notificationMethod.toolsChanged }),
            end() {
              streams.splice(streams.indexOf(stream), 1);
              resolve({ resultType: "complete" });
            },
          };
          streams.push(stream);
        });
      }
      const { fault } = source;
      if (fault === "hang")
        return new Promise((_, reject) => exchange.signal.addEventListener("abort", () => reject(new Error("late"))));
      if (fault) throw fault;
      const hints = { resultType: "complete", ttlMs: source.ttlMs, cacheScope: "private" } as const;
      if (asked === method.discover) return { ...hints, supportedVersions: ["2026-07-28"], capabilities };
      source.reads += 1;
      return { ...hints, tools: source.tools.map((tool) => toolOf(tool)) };
    }) as Dispatch,
  };
  return source;
}

function setUp(sources: ReturnType<typeof createSource>[], options: LiveCatalogOptions = {}) {
  const changes: (readonly ListKind[])[] = [];
  const problems: string[] = [];
  const wanted = sources.map(({ name }) => ({ name, rules: rulesOf(name) }));
  const view = new CatalogView({
    upstreams: () => wanted,
    onChange: (kinds) => changes.push(kinds),
  });
  const live = new LiveCatalog({ ...options, onProblem: (problem) => problems.push(problem) });
  live.follow(sources, [view]);
  const names = () => view.current.tools.map(({ name }) => name);
  return { live, view, changes, problems, names };
}

describe("reading catalogues", () => {
  it("reads the catalogue again when the upstream announces a change, and notifies even if nothing differs (E-14)", async () => {
    const source = createSource("up");
    const { live, changes, names } = setUp([source]);
    await live.refresh("up");
    expect([names(), changes]).toEqual([["up__a"], [["tools"]]]);
    source.tools = ["a", "b"];
    source.streams[0]?.tell();
    await vi.advanceTimersByTimeAsync(0);
    expect([names(), changes]).toEqual([
      ["up__a", "up__b"],
      [["tools"], ["tools"]],
    ]);
    await vi.advanceTimersByTimeAsync(250);
    source.streams[0]?.tell();
    await vi.advanceTimersByTimeAsync(0);
    expect(changes).toEqual([["tools"], ["tools"], ["tools"]]);
    await live.refresh("up");
    expect(changes).toHaveLength(3);
    live.close();
  });

  it("reads long lists less often, regardless of how often the upstream announces changes", async () => {
    const source = createSource("up");
    const { live } = setUp([source], { limits: { maxTools: 20_000 } });
    source.tools = Array.from({ length: 20_000 }, (_, index) => `t${index}`);
    await live.refresh("up");
    for (let elapsedMs = 0; elapsedMs < 20_000; elapsedMs += 50) {
      source.streams[0]?.tell();
      await vi.advanceTimersByTimeAsync(50);
    }
    // 0.2 ms per tool are 4 s between two readings.
    expect(source.reads).toBeGreaterThan(3);
    expect(source.reads).toBeLessThanOrEqual(7);
    live.close();
  });

  it("reads the catalogue once more after a change that came during a reading", async () => {
    const source = createSource("up");
    const { live } = setUp([source]);
    await Promise.all([live.refresh("up"), live.refresh("up"), live.refresh("up")]);
    expect(source.reads).toBe(2);
    await Promise.all([live.read("up"), live.read("up")]);
    expect(source.reads).toBe(3);
    live.close();
  });

  it("drops the catalogue of an upstream that is not followed any more, even during a reading", async () => {
    const source = createSource("up");
    const view = new CatalogView({ upstreams: () => [{ name: "up", rules: rulesOf("up") }] });
    const live = new LiveCatalog();
    live.follow([source], [view]);
    await live.refresh("up");
    const reading = live.refresh("up");
    live.follow([], [view]);
    await reading;
    await vi.advanceTimersByTimeAsync(120_000);
    expect([live.catalogOf("up"), view.current.tools, source.reads]).toEqual([undefined, [], 2]);
    live.close();
  });

  it("keeps the catalogue of a replaced upstream until its replacement was read", async () => {
    const [before, after] = [createSource("up"), createSource("up")];
    after.tools = ["b"];
    const { live, view, names } = setUp([before]);
    await live.refresh("up");
    live.follow([after], [view]);
    expect(names()).toEqual(["up__a"]);
    await live.refresh("up");
    expect(names()).toEqual(["up__b"]);
    before.streams[0]?.end();
    await vi.advanceTimersByTimeAsync(0);
    expect(after.streams).toHaveLength(1);
    live.close();
  });

  it("keeps the catalogue of a failing upstream and those of the others", async () => {
    const [one, two] = [createSource("one"), createSource("two")];
    const { live, names, problems } = setUp([one, two]);
    await Promise.all([live.refresh("one"), live.refresh("two")]);
    one.fault = new Error("broken");
    two.tools = ["b"];
    await Promise.all([live.refresh("one"), live.refresh("two"), live.refresh("one")]);
    expect(names()).toEqual(["one__a", "two__b"]);
    expect(problems).toEqual(["the lists of one could not be read: broken"]);
    live.close();
  });

  it("limits how long an upstream that does not answer delays callers", async () => {
    const [slow, quick] = [createSource("slow"), createSource("quick")];
    slow.fault = "hang";
    const { live, names, problems } = setUp([slow, quick], { readTimeoutMs: 20 });
    const reading = Promise.all([live.refresh("slow"), live.refresh("quick")]);
    await vi.advanceTimersByTimeAsync(0);
    expect(names()).toEqual(["quick__a"]);
    vi.useRealTimers();
    await reading;
    expect(problems).toEqual(["the lists of slow could not be read: late"]);
    live.close();
  });

  it("reads again and reopens the stream after it has ended, with increasing delays (E-17)", async () => {
    const source = createSource("up");
    const { live, names } = setUp([source]);
    await live.refresh("up");
    source.tools = ["b"];
    source.streams[0]?.end();
    await vi.advanceTimersByTimeAsync(999);
    expect(names()).toEqual(["up__a"]);
    await vi.advanceTimersByTimeAsync(1);
    expect([names(), source.streams.length]).toEqual([["up__b"], 1]);
    live.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an upstream that announces changes without pause", () => {
  it("reads the first of constant changes at once and further ones at most four times a second", async () => {
    const source = createSource("up");
    const { live, names } = setUp([source]);
    await live.refresh("up");
    for (let at = 0; at < 1_000; at += 10) {
      source.streams[0]?.tell();
      await vi.advanceTimersByTimeAsync(10);
      if (at === 0) expect(source.reads).toBe(2);
    }
    source.tools = ["last"];
    source.streams[0]?.tell();
    await vi.advanceTimersByTimeAsync(250);
    expect([source.reads, names()]).toEqual([7, ["up__last"]]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(source.reads).toBe(7);
    source.streams[0]?.tell();
    live.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an upstream that cannot be read", () => {
  it("retries a failed reading with increasing delays, also after an announced change", async () => {
    const source = createSource("up");
    const { live, names } = setUp([source]);
    await live.refresh("up");
    source.fault = new Error("not now");
    source.tools = ["b"];
    source.streams[0]?.tell();
    await vi.advanceTimersByTimeAsync(2_999);
    source.fault = undefined;
    expect(names()).toEqual(["up__a"]);
    expect(live.problemsOf("up")).toEqual(["the lists of up could not be read: not now"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(live.problemsOf("up")).toEqual([]);
    expect([names(), source.streams.length]).toEqual([["up__b"], 1]);
    source.streams[0]?.end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(source.streams).toHaveLength(1);
    live.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not start an on-demand upstream to retry a reading", async () => {
    const source = createSource("up");
    source.isKept = false;
    source.fault = new Error("not now");
    const { live } = setUp([source]);
    await live.refresh("up");
    expect(vi.getTimerCount()).toBe(0);
    live.close();
  });
});

describe("an upstream that refuses a stream", () => {
  it("retries the stream and reads again, each time after twice the delay", async () => {
    const source = createSource("up");
    source.isDeaf = true;
    const { live } = setUp([source]);
    await live.refresh("up");
    for (const [waitMs, reads] of [
      [1_000, 2],
      [1_999, 2],
      [1, 3],
      [3_999, 3],
      [1, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(waitMs);
      expect(source.reads).toBe(reads);
    }
    live.close();
  });
});

describe("an upstream that announces changes", () => {
  it("does not read an old catalogue again if its upstream announces changes", async () => {
    const source = createSource("up");
    const { live } = setUp([source], { maxAgeMs: 1_000 });
    await live.refresh("up");
    await vi.advanceTimersByTimeAsync(2_000);
    live.touch(["up"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(source.reads).toBe(1);
    live.close();
  });
});

describe("an upstream that never announces changes", () => {
  it("does not read a catalogue again during its ttlMs (E-56)", async () => {
    const source = createSource("up", { tools: {} });
    source.ttlMs = 5_000;
    const { live } = setUp([source], { maxAgeMs: 1_000 });
    await live.refresh("up");
    for (const [waitMs, reads] of [
      [4_999, 1],
      [2, 2],
    ] as const) {
      await vi.advanceTimersByTimeAsync(waitMs);
      live.touch(["up"]);
      await vi.advanceTimersByTimeAsync(0);
      expect(source.reads).toBe(reads);
    }
    live.close();
  });

  it("reads a stale catalogue again when a caller requests a list", async () => {
    const source = createSource("up", { tools: {} });
    const { live, names } = setUp([source], { maxAgeMs: 1_000 });
    await live.refresh("up");
    source.tools = ["b"];
    live.touch(["up"]);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(names()).toEqual(["up__a"]);
    live.touch(["up", "nobody"]);
    await vi.advanceTimersByTimeAsync(0);
    expect(names()).toEqual(["up__b"]);
    live.close();
  });

  it("does not read a stale catalogue of an on-demand upstream again", async () => {
    const source = createSource("up");
    source.isKept = false;
    const { live } = setUp([source], { maxAgeMs: 1_000 });
    await live.refresh("up");
    await vi.advanceTimersByTimeAsync(2_000);
    live.touch(["up"]);
    await vi.advanceTimersByTimeAsync(0);
    expect([source.streams, source.reads]).toEqual([[], 1]);
    live.close();
  });
});

it("merges long lists for one view in each turn of the event loop", async () => {
  const source = createSource("up");
  source.tools = Array.from({ length: 501 }, (_, index) => `t${index}`);
  const wanted = [{ name: "up", rules: rulesOf("up") }];
  const turns: number[] = [];
  let turn = 0;
  let isOver = false;
  const countTurn = () => {
    turn += 1;
    if (!isOver) nextTurn(countTurn);
  };
  const views = [1, 2].map(() => new CatalogView({ upstreams: () => wanted }));
  const live = new LiveCatalog();
  live.follow([source], views);
  for (const view of views) vi.spyOn(view, "update").mockImplementation(() => void turns.push(turn));
  nextTurn(countTurn);
  await live.refresh("up");
  isOver = true;
  live.close();
  expect(turns).toHaveLength(2);
  expect(new Set(turns).size).toBe(2);
});
