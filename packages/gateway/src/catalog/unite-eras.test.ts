import { describe, expect, it } from "vitest";
import type { UpstreamCatalog } from "./read-catalog.ts";
import { uniteEras } from "./unite-eras.ts";

function catalogOf(more: Partial<UpstreamCatalog> = {}, capabilities: object = { tools: {} }): UpstreamCatalog {
  return {
    upstream: "up",
    discover: { resultType: "complete", supportedVersions: [], capabilities, ttlMs: 0, cacheScope: "private" },
    offered: {},
    ...{ tools: [], prompts: [], resources: [], templates: [], freshUntil: 0, cacheScope: "private", problems: [] },
    versions: { tools: "t", prompts: "p", resources: "r", templates: "u" },
    ...more,
  };
}

const tool = (name: string) => ({ name, inputSchema: { type: "object" as const } });

describe("the catalogue of an upstream that speaks both eras", () => {
  it("offers capabilities that only the older era declares", () => {
    const modern = catalogOf({}, { tools: {}, resources: {}, extensions: { x: {} } });
    const legacy = catalogOf({}, { tools: {}, completions: {}, logging: {}, resources: { subscribe: true } });
    const { catalog, differences } = uniteEras(modern, legacy);
    expect(catalog.discover.capabilities).toEqual({
      ...{ tools: {}, completions: {}, logging: {}, resources: { subscribe: true }, extensions: { x: {} } },
    });
    expect(differences.onlyLegacyFeatures).toEqual({ completions: true, subscribe: true });
  });

  it("lists a tool of both eras once, as the newer era describes it, and records tools of only one era", () => {
    const modern = catalogOf({ tools: [{ ...tool("both"), title: "new" }, tool("new")] });
    const legacy = catalogOf({ tools: [{ ...tool("both"), title: "old" }, tool("old")] });
    const { catalog, differences } = uniteEras(modern, legacy);
    expect(catalog.tools.map(({ name, title }) => title ?? name)).toEqual(["new", "new", "old"]);
    expect([...differences.onlyModern.tools]).toEqual(["new"]);
    expect([...differences.onlyLegacy.tools]).toEqual(["old"]);
    expect(catalog.versions.tools).not.toBe("t");
  });

  it("keeps lists and versions of the newer era if the older one adds nothing, so that nothing is prepared again", () => {
    const modern = catalogOf({ tools: [tool("a")] });
    const { catalog } = uniteEras(modern, catalogOf({ tools: [tool("a")] }));
    expect(catalog.tools).toBe(modern.tools);
    expect(catalog.versions).toEqual(modern.versions);
  });
});
