import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { CatalogView, ListKind } from "./catalog-view.ts";
import { ViewUpdates } from "./view-updates.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A view whose updates take this many ms. */
function createView(upstreams: readonly string[], updateMs: number) {
  const updates: (readonly ListKind[])[] = [];
  const view = {
    upstreams,
    fault: undefined as Error | undefined,
    update(_: unknown, announced: ReadonlySet<ListKind> = new Set()) {
      if (view.fault) throw view.fault;
      vi.advanceTimersByTime(updateMs);
      updates.push([...announced]);
    },
  };
  return { view, asView: view as unknown as CatalogView, updates };
}

const read = (upstream: string, ...announced: ListKind[]) => ({ upstream, announced: new Set(announced), items: 1 });

it("a view whose updates are short is updated after each read", async () => {
  const { asView, updates } = createView(["a", "b"], 0.5);
  const views = new ViewUpdates(() => undefined);
  views.follow([asView]);
  await views.apply(read("a", "tools"));
  await views.apply(read("b"));
  expect(updates).toEqual([[], ["tools"], []]);
});

it("while a view rests after a long update, all reads wait for one update, which announces the changes of all of them", async () => {
  const { asView, updates } = createView(["a", "b", "c"], 20);
  const views = new ViewUpdates(() => undefined);
  views.follow([asView]);
  const applied: string[] = [];
  const apply = (upstream: string, kind: ListKind) =>
    views.apply(read(upstream, kind)).then(() => void applied.push(upstream));
  const all = Promise.all([apply("a", "tools"), apply("b", "prompts"), apply("c", "tools")]);
  await vi.advanceTimersByTimeAsync(179);
  expect([updates, applied]).toEqual([[[]], []]);
  await vi.advanceTimersByTimeAsync(1);
  await all;
  expect(updates).toEqual([[], ["tools", "prompts"]]);
});

it("a view rests for a second at most, and is updated at once after its rest", async () => {
  const { asView, updates } = createView(["a"], 500);
  const views = new ViewUpdates(() => undefined);
  views.follow([asView]);
  await vi.advanceTimersByTimeAsync(1_000);
  await views.apply(read("a"));
  expect(updates).toHaveLength(2);
});

it("a read updates only the views of its upstream, and a resting view does not delay another one", async () => {
  const slow = createView(["a", "b"], 20);
  const own = createView(["a"], 0.1);
  const other = createView(["b"], 0.1);
  const views = new ViewUpdates(() => undefined);
  views.follow([slow.asView, own.asView, other.asView]);
  void views.apply(read("a"));
  expect([slow.updates.length, own.updates.length, other.updates.length]).toEqual([1, 2, 1]);
  await vi.runAllTimersAsync();
  expect(slow.updates).toHaveLength(2);
});

it("a view that is removed while it rests is not updated any more, and the read that waits for it ends", async () => {
  const { asView, updates } = createView(["a"], 20);
  const views = new ViewUpdates(() => undefined);
  views.follow([asView]);
  const applied = views.apply(read("a"));
  views.follow([]);
  await vi.runAllTimersAsync();
  await applied;
  expect(updates).toHaveLength(1);
});

it("an update that fails after a rest rejects the reads that wait for it", async () => {
  const { view, asView } = createView(["a"], 20);
  const views = new ViewUpdates(() => undefined);
  views.follow([asView]);
  const applied = expect(views.apply(read("a"))).rejects.toThrow("no memory");
  view.fault = new Error("no memory");
  await vi.runAllTimersAsync();
  await applied;
});

it("any number of views of one upstream take no larger part of the time for their updates than a single one", async () => {
  const updatesOf = async (count: number) => {
    const all = Array.from({ length: count }, () => createView(["a", "b"], 0.5));
    const views = new ViewUpdates(() => undefined);
    views.follow(all.map(({ asView }) => asView));
    const endsAt = performance.now() + 10_000;
    while (performance.now() < endsAt) {
      void views.apply(read("a", "tools"));
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.runAllTimersAsync();
    return all.reduce((sum, { updates }) => sum + updates.length, 0);
  };
  // Each takes 0.5 ms, so a tenth of 10 s is enough for 2,000.
  expect(await updatesOf(100)).toBeLessThan(2_500);
  expect(await updatesOf(50)).toBeLessThan(2_500);
});
