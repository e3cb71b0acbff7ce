// What an upstream offers, for tests.
import type { Tool } from "@lethe/protocol";
import type { CatalogPart, CatalogRules } from "../catalog/catalog-part.ts";
import { createNameRule } from "../catalog/exposure.ts";
import type { UpstreamCatalog } from "../catalog/read-catalog.ts";
import { createUriRule } from "../catalog/uri-rule.ts";
import { readOfferedExtensions } from "../extensions/offered-extensions.ts";

export function toolOf(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object" }, ...more };
}

export function catalogOf(upstream: string, more: Partial<UpstreamCatalog> = {}): UpstreamCatalog {
  const discover: UpstreamCatalog["discover"] = {
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
    ttlMs: 0,
    cacheScope: "private",
  };
  const empty = { tools: [], prompts: [], resources: [], templates: [], problems: [] };
  const { offered } = readOfferedExtensions((more.discover ?? discover).capabilities);
  const catalog = { upstream, discover, offered, ...empty, freshUntil: 0, cacheScope: "private" as const, ...more };
  const versionOf = (items: readonly object[]) => JSON.stringify(items);
  const { tools, prompts, resources, templates } = catalog;
  const versions = {
    ...{ tools: versionOf(tools), prompts: versionOf(prompts) },
    ...{ resources: versionOf(resources), templates: versionOf(templates) },
  };
  return { versions, ...catalog };
}

export function rulesOf(prefix: string, more: Partial<CatalogRules> = {}): CatalogRules {
  const everything = createNameRule(undefined);
  return { prefix, tools: everything, prompts: everything, resources: createUriRule(), ...more };
}

export function partOf(
  upstream: string,
  more: Partial<UpstreamCatalog> = {},
  rules: Partial<CatalogRules> = {},
): CatalogPart {
  return { catalog: catalogOf(upstream, more), rules: rulesOf(upstream, rules) };
}
