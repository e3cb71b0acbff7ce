// All features of one server, in four lists. The author may change them while the server runs.
import {
  type CacheHints,
  type Caller,
  invalidParams,
  type JsonObject,
  type McpError,
  overloaded,
  toOwnName,
} from "@lethe/protocol";
import { requireCacheHints } from "./cache-hints.ts";
import type { Feature, Visibility } from "./feature.ts";
import { createFeatureList, type FeatureList } from "./feature-list.ts";
import type { PromptDefinition } from "./prompt.ts";
import type { ResourceDefinition } from "./resource.ts";
import type { ResourceTemplateDefinition } from "./resource-template.ts";
import type { ToolDefinition } from "./tool.ts";

/** The lists that list_changed notifications distinguish: templates count as resources. */
export type ListKind = "tools" | "prompts" | "resources";

/** The cache hints of each list. */
export interface ListCaches {
  tools?: Partial<CacheHints>;
  prompts?: Partial<CacheHints>;
  resources?: Partial<CacheHints>;
  resourceTemplates?: Partial<CacheHints>;
}

export interface RegistryOptions {
  /** Items on one page. Default 1000. */
  pageSize?: number | undefined;
  caches?: ListCaches | undefined;
  /** The rule of the server, in addition to those of its features. Makes every list private. */
  isVisible?: Visibility | undefined;
  /** `_meta` of every list. */
  resultMeta?: JsonObject | undefined;
}

export interface Registry {
  readonly tools: FeatureList<ToolDefinition>;
  readonly prompts: FeatureList<PromptDefinition>;
  readonly resources: FeatureList<ResourceDefinition>;
  readonly resourceTemplates: FeatureList<ResourceTemplateDefinition>;
  /** The prefixes of mounted servers whose lists were never read. */
  readonly unread: Set<string>;
  /** Calls back, in order of registration, after a feature of a list was added or removed. */
  onChange(listener: (kind: ListKind) => void): void;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { pageSize = 1000, caches = {}, isVisible, resultMeta } = options;
  const listeners: ((kind: ListKind) => void)[] = [];
  if (!Number.isInteger(pageSize) || pageSize < 1)
    throw new Error(`pageSize: a positive integer expected, got ${pageSize}`);

  function listOf<D extends { readonly feature: Feature }>(
    member: keyof ListCaches,
    kind: ListKind,
    toItem: (definition: D) => unknown,
  ): FeatureList<D> {
    const cache = toListCache(caches[member]);
    return createFeatureList<D>({
      member,
      pageSize,
      cache,
      isVisible,
      resultMeta,
      toItem,
      onChange() {
        for (const listener of listeners) listener(kind);
      },
    });
  }

  return {
    tools: listOf("tools", "tools", ({ tool }) => tool),
    prompts: listOf("prompts", "prompts", ({ prompt }) => prompt),
    resources: listOf("resources", "resources", ({ resource }) => resource),
    resourceTemplates: listOf("resourceTemplates", "resources", ({ resourceTemplate }) => resourceTemplate),
    unread: new Set(),
    onChange: (listener) => void listeners.push(listener),
  };
}

/** One minute: short for clients that do not subscribe to changes, long enough to save most requests. */
const defaultTtlMs = 60_000;

export function toListCache(hints: Partial<CacheHints> | undefined): CacheHints {
  const { ttlMs = defaultTtlMs, cacheScope = "public" } = hints ?? {};
  return requireCacheHints({ ttlMs, cacheScope });
}

/** The first template in order of registration that matches the URI and that the caller may see. */
export function findTemplate(
  registry: Registry,
  uri: string,
  caller: Caller | undefined,
): { definition: ResourceTemplateDefinition; variables: { [name: string]: string } } | undefined {
  for (const definition of registry.resourceTemplates.visibleTo(caller)) {
    const variables = definition.uriTemplate.match(uri);
    if (variables) return { definition, variables };
  }
  return undefined;
}

const retryAfterMs = 1_000;

/** The error for a name that no feature has, or that belongs to a mounted server that could not be read yet. */
export function unknownFeature({ unread }: Registry, kind: "tool" | "prompt", name: string): McpError {
  for (const prefix of unread) {
    if (prefix !== "" && toOwnName(prefix, name) !== undefined) {
      return overloaded(`the mounted server ${JSON.stringify(prefix)} cannot be reached`, retryAfterMs);
    }
  }
  return invalidParams(`unknown ${kind}: ${JSON.stringify(name)}`);
}
