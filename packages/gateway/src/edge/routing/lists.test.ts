import { method, toResultText } from "@lethe/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mergeCatalogs } from "../../catalog/merge-catalogs.ts";
import { partOf, toolOf } from "../../testing/catalogs.ts";
import { createListAnswers } from "./lists.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test("serialises a list once for each version of the catalogue", () => {
  const answer = createListAnswers();
  const catalog = mergeCatalogs([partOf("a", { tools: [toolOf("t")] })]);
  const first = answer(catalog, method.listTools);
  expect(first).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [{ name: "a__t" }] });
  expect(answer(catalog, method.listTools)).toBe(first);
  expect(JSON.parse(toResultText(first ?? { resultType: "" }))).toEqual(first);
  expect(answer(mergeCatalogs([partOf("a")]), method.listTools)).not.toBe(first);
});

test("promises the remaining lifetime of the upstreams' lists (E-50, E-56)", () => {
  const answer = createListAnswers();
  const catalog = mergeCatalogs([partOf("a", { freshUntil: 60_000, cacheScope: "public" })]);
  expect(answer(catalog, method.discover)).toMatchObject({ ttlMs: 60_000, cacheScope: "public" });
  vi.setSystemTime(30_500);
  expect(answer(catalog, method.discover)).toMatchObject({ ttlMs: 29_000 });
  vi.setSystemTime(70_000);
  expect(answer(catalog, method.discover)).toMatchObject({ ttlMs: 0 });
});

test("names starting and failed upstreams in lists and makes these lists uncacheable", () => {
  const answer = createListAnswers();
  const catalog = mergeCatalogs([partOf("a", { tools: [toolOf("t")], freshUntil: 60_000 })]);
  for (const name of [method.discover, method.listTools]) {
    expect(answer(catalog, name)).toMatchObject({ ttlMs: 60_000 });
    expect(answer(catalog, name)?._meta).not.toHaveProperty(["lethe/missing"]);
    const incomplete = answer(catalog, name, ["b", "c"]);
    expect(incomplete).toMatchObject({ ttlMs: 0, _meta: { "lethe/missing": ["b", "c"] } });
    expect(answer(catalog, name, ["b", "c"])).toBe(incomplete);
    expect(answer(catalog, name, ["b"])).toMatchObject({ _meta: { "lethe/missing": ["b"] } });
  }
});

test("discover of a merged endpoint names the gateway and its own versions (J-61)", () => {
  const discover = createListAnswers()(mergeCatalogs([partOf("a")]), method.discover);
  expect(discover).toMatchObject({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "lethe-gateway" } },
  });
});

test("an endpoint that serves one upstream under its own names has that server's identity", () => {
  const info = { name: "files", version: "3.1.0", title: "Files", icons: [{ src: "https://example.com/i.png" }] };
  const part = partOf("a", { tools: [toolOf("t")] });
  const discover = { ...part.catalog.discover, _meta: { "io.modelcontextprotocol/serverInfo": info } };
  const rules = { ...part.rules, prefix: "", keepsIdentity: true };
  const catalog = mergeCatalogs([{ catalog: { ...part.catalog, discover }, rules }]);
  const answer = createListAnswers();
  expect(answer(catalog, method.discover)?._meta).toEqual({ "io.modelcontextprotocol/serverInfo": info });
  const { icons: _, ...brief } = info;
  expect(answer(catalog, method.listTools)?._meta).toEqual({ "io.modelcontextprotocol/serverInfo": brief });
});

test("an endpoint of an upstream without an identity answers as the gateway", () => {
  const part = partOf("a");
  const catalog = mergeCatalogs([{ ...part, rules: { ...part.rules, keepsIdentity: true } }]);
  expect(createListAnswers()(catalog, method.discover)?._meta).toMatchObject({
    "io.modelcontextprotocol/serverInfo": { name: "lethe-gateway" },
  });
});

test("rejects unsupported lists and methods (E-4)", () => {
  const answer = createListAnswers();
  const nothing = mergeCatalogs([]);
  for (const name of [method.listTools, method.listPrompts, method.listResources, "constructor", "tools/call"]) {
    expect(answer(nothing, name)).toBeUndefined();
  }
});
