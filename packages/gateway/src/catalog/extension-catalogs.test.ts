import type { Dispatch, Result } from "@lethe/protocol";
import { clientCapabilitiesOf, method } from "@lethe/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type DeclaredExtensions, declaredExtensionsOf } from "../extensions/declared-extensions.ts";
import { rulesOf, toolOf } from "../testing/catalogs.ts";
import { CatalogView } from "./catalog-view.ts";
import { ExtensionCatalogs, type ExtensionCatalogsOptions } from "./extension-catalogs.ts";
import { type CatalogSource, LiveCatalog } from "./live-catalog.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const declaring = (id: string): DeclaredExtensions => declaredExtensionsOf({ extensions: { [id]: {} } });
const apps = declaring("a.b/apps");

/** An upstream that has one more tool for callers with the extension `a.b/apps`. */
async function setUp(options: Partial<ExtensionCatalogsOptions> = {}) {
  const state = { tools: ["plain"], reads: 0, isSilent: false, differences: [] as boolean[] };
  const dispatch: Dispatch = async (request): Promise<Result> => {
    const hints = { resultType: "complete", ttlMs: 0, cacheScope: "public" } as const;
    if (request.method === method.discover) return { ...hints, supportedVersions: [], capabilities: { tools: {} } };
    const { extensions } = clientCapabilitiesOf(request);
    if (extensions && state.isSilent) return new Promise(() => {});
    state.reads += 1;
    const names = extensions?.["a.b/apps"] ? [...state.tools, "dashboard"] : state.tools;
    return { ...hints, tools: names.map((name) => toolOf(name)) };
  };
  const source: CatalogSource = {
    ...{ name: "up", dispatch, isKept: true },
    onDeclared: (_, isDifferent) => state.differences.push(isDifferent),
  };
  const problems: string[] = [];
  const base: LiveCatalog = new LiveCatalog({ onRead: ({ name }) => catalogs.refresh(name) });
  const catalogs = new ExtensionCatalogs({ base, onProblem: (problem) => problems.push(problem), ...options });
  const wanted = [{ name: "up", rules: rulesOf("up") }];
  const createView = () => new CatalogView({ upstreams: () => wanted });
  const owner = { createView };
  const view = createView();
  base.follow([source], [view]);
  catalogs.follow([source], [owner]);
  await base.read("up");
  const toolsFor = async (declared: DeclaredExtensions, callerId?: string) => {
    const set = catalogs.setFor(declared, callerId);
    await set?.untilRead(["up"]);
    return set?.viewOf(owner)?.current.tools.map(({ name }) => name);
  };
  return { state, base, catalogs, problems, view, owner, toolsFor };
}

describe("lists for callers that declare extensions", () => {
  it("shows tools that the upstream lists only for a declaration to callers with that declaration", async () => {
    const { view, toolsFor, state } = await setUp();
    expect(await toolsFor(apps)).toEqual(["up__plain", "up__dashboard"]);
    expect(view.current.tools.map(({ name }) => name)).toEqual(["up__plain"]);
    expect(await toolsFor(declaring("a.b/other"))).toEqual(["up__plain"]);
    expect(state.differences).toEqual([true, false]);
  });

  it("reads the lists once for all callers with the same declaration", async () => {
    const { state, toolsFor } = await setUp();
    const before = state.reads;
    for (const caller of ["a", "b", "c"]) await toolsFor(apps, caller);
    expect(state.reads).toBe(before + 1);
  });

  it("reads the lists again after those without extensions were read again", async () => {
    const { state, base, toolsFor } = await setUp();
    await toolsFor(apps);
    state.tools = ["plain", "new"];
    await base.refresh("up");
    await vi.advanceTimersByTimeAsync(0);
    expect(await toolsFor(apps)).toEqual(["up__plain", "up__new", "up__dashboard"]);
  });

  it("shows the lists without extensions while an upstream does not answer for a declaration", async () => {
    const { state, toolsFor } = await setUp();
    state.isSilent = true;
    const waiting = toolsFor(apps);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await waiting).toEqual(["up__plain"]);
  });

  it("shares the memory of lists that a declaration does not change", async () => {
    const { catalogs, owner, base, toolsFor } = await setUp();
    const other = declaring("a.b/other");
    await toolsFor(other);
    const catalog = catalogs.setFor(other, undefined)?.viewOf(owner)?.current;
    // A view offers the catalogs themselves.
    const [offering] = (catalog?.offerings ?? []) as unknown as { tools: unknown }[];
    expect(offering?.tools).toBe(base.catalogOf("up")?.tools);
  });
});

describe("many different declarations", () => {
  it("one caller cannot bring more declarations than its share, and others still get theirs", async () => {
    const { catalogs, problems, state } = await setUp();
    const before = state.reads;
    for (let index = 0; index < 1_000; index += 1) catalogs.setFor(declaring(`a.b/x${index}`), "evil");
    await vi.advanceTimersByTimeAsync(0);
    expect(catalogs.size).toBe(4);
    expect(state.reads).toBe(before + 4);
    expect(problems).toEqual([expect.stringContaining("further ones get the lists for clients without extensions")]);
    expect(catalogs.setFor(apps, "good")).toBeDefined();
  });

  it("anonymous callers together leave room for authenticated ones", async () => {
    const { catalogs } = await setUp();
    for (let index = 0; index < 1_000; index += 1) catalogs.setFor(declaring(`a.b/x${index}`), undefined);
    expect(catalogs.size).toBe(12);
    expect(catalogs.setFor(apps, "good")).toBeDefined();
  });

  it("drops the oldest unused lists of a caller for new ones of the same caller, and all lists that nobody uses", async () => {
    const { catalogs, base } = await setUp({ maxPerCaller: 1 });
    catalogs.setFor(declaring("a.b/old"), "me");
    expect(catalogs.setFor(apps, "me")).toBeUndefined();
    vi.advanceTimersByTime(60_000);
    expect(catalogs.setFor(apps, "me")).toBeDefined();
    expect(catalogs.size).toBe(1);
    vi.advanceTimersByTime(600_001);
    await base.refresh("up");
    expect(catalogs.size).toBe(0);
  });

  it("compares the sources and endpoints of two configurations in linear time", async () => {
    const { base, catalogs, toolsFor } = await setUp();
    await toolsFor(apps);
    const stepsOf = (count: number) => {
      let reads = 0;
      const counted = <T extends object>(items: T[]) =>
        new Proxy(items, {
          get(target, key) {
            reads += 1;
            return Reflect.get(target, key);
          },
        });
      const dispatch: Dispatch = () => Promise.reject(new Error("away"));
      const sources = Array.from({ length: count }, (_, index) => ({ name: `${index}`, dispatch, isKept: false }));
      const owners = sources.map(() => ({ createView: () => new CatalogView({ upstreams: () => [] }) }));
      for (let time = 0; time < 2; time++) {
        base.follow(counted(sources), []);
        catalogs.follow(counted(sources), counted(owners));
      }
      return reads;
    };
    const few = stepsOf(100);
    expect(stepsOf(200)).toBeLessThan(3 * few);
    base.close();
  });
});
