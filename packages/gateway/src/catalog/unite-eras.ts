// Unites the catalogs of an upstream that speaks both eras: the lists of the newer era, and the items that only the older one
// has.
import type { ServerCapabilities } from "@lethe/protocol";
import type { OfferedExtensions } from "../extensions/offered-extensions.ts";
import type { EraDifferences } from "../upstreams/sessions/era-differences.ts";
import type { UpstreamCatalog } from "./read-catalog.ts";

export interface UnitedCatalog {
  readonly catalog: UpstreamCatalog;
  readonly differences: EraDifferences;
}

/** Uses the templates of the newer era, unless it has no resources, because a URI does not show which era made it. */
export function uniteEras(modern: UpstreamCatalog, legacy: UpstreamCatalog): UnitedCatalog {
  const tools = unite(modern.tools, legacy.tools, nameOf);
  const prompts = unite(modern.prompts, legacy.prompts, nameOf);
  const resources = unite(modern.resources, legacy.resources, uriOf);
  const declared = modern.discover.capabilities;
  const older = legacy.discover.capabilities;
  const hasResources = declared.resources !== undefined;
  const versionOf = (list: "tools" | "prompts" | "resources", { isMore }: { isMore: boolean }) =>
    isMore ? `${modern.versions[list]} ${legacy.versions[list]}` : modern.versions[list];
  const catalog: UpstreamCatalog = {
    ...modern,
    discover: { ...modern.discover, capabilities: uniteCapabilities(declared, older) },
    offered: uniteOffered(modern.offered, legacy.offered),
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: hasResources ? modern.templates : legacy.templates,
    versions: {
      tools: versionOf("tools", tools),
      prompts: versionOf("prompts", prompts),
      resources: versionOf("resources", resources),
      templates: hasResources ? modern.versions.templates : legacy.versions.templates,
    },
    freshUntil: modern.freshUntil,
  };
  const differences: EraDifferences = {
    onlyModern: { tools: tools.onlyModern, prompts: prompts.onlyModern, resources: resources.onlyModern },
    onlyLegacy: { tools: tools.onlyLegacy, prompts: prompts.onlyLegacy, resources: resources.onlyLegacy },
    onlyLegacyFeatures: {
      completions: !declared.completions && older.completions !== undefined,
      subscribe: !declared.resources?.subscribe && older.resources?.subscribe === true,
    },
  };
  return { catalog, differences };
}

function unite<T>(modern: T[], legacy: readonly T[], keyOf: (item: T) => string) {
  const [here, there] = [new Set(modern.map(keyOf)), new Set(legacy.map(keyOf))];
  const more = legacy.filter((item) => !here.has(keyOf(item)));
  return {
    items: more.length > 0 ? [...modern, ...more] : modern,
    isMore: more.length > 0,
    onlyModern: new Set([...here].filter((key) => !there.has(key))),
    onlyLegacy: new Set(more.map(keyOf)),
  };
}

/** Tasks are those of the newer era. Callers of both eras get them. */
function uniteCapabilities(modern: ServerCapabilities, legacy: ServerCapabilities): ServerCapabilities {
  const united: ServerCapabilities = { ...modern };
  for (const name of ["tools", "prompts", "completions", "logging"] as const) {
    if (united[name] === undefined && legacy[name] !== undefined) united[name] = legacy[name];
  }
  if (legacy.resources) united.resources = { ...legacy.resources, ...withoutFalse(modern.resources) };
  return united;
}

/** Settings of the newer era take precedence. */
function uniteOffered(modern: OfferedExtensions, legacy: OfferedExtensions): OfferedExtensions {
  const extensions = { ...legacy.extensions, ...modern.extensions };
  const experimental = { ...legacy.experimental, ...modern.experimental };
  return {
    ...(Object.keys(extensions).length > 0 && { extensions }),
    ...(Object.keys(experimental).length > 0 && { experimental }),
  };
}

function withoutFalse(resources: ServerCapabilities["resources"] = {}): NonNullable<ServerCapabilities["resources"]> {
  return Object.fromEntries(Object.entries(resources).filter(([, isOffered]) => isOffered !== false));
}

function nameOf({ name }: { name: string }): string {
  return name;
}

function uriOf({ uri }: { uri: string }): string {
  return uri;
}
