// Reads the catalog of one upstream: all pages of every list that its capabilities declare.
import {
  type CacheScope,
  type DiscoverResult,
  type Dispatch,
  errorCode,
  isDiscoverResult,
  type JsonObject,
  McpError,
  method,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Result,
  type Tool,
} from "@lethe/protocol";
import { defaultListLimits } from "../config/schema/defaults.ts";
import type { DeclaredExtensions } from "../extensions/declared-extensions.ts";
import type { ExtensionFilter } from "../extensions/extension-filter.ts";
import { type OfferedExtensions, readOfferedExtensions } from "../extensions/offered-extensions.ts";
import { createOwnExchange, relayedCapabilities, toOwnRequest } from "../upstreams/connection/own-request.ts";
import type { ListLimits } from "./list-limits.ts";
import { type ListBound, ReadList } from "./read-list.ts";
import type { ItemList } from "./valid-items.ts";

/** Equal texts mean equal lists. */
export interface ListVersions {
  readonly tools: string;
  readonly prompts: string;
  readonly resources: string;
  readonly templates: string;
}

export interface UpstreamCatalog {
  upstream: string;
  discover: DiscoverResult;
  /** What it offers beyond the core and the gateway passes on. */
  offered: OfferedExtensions;
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: ResourceTemplate[];
  versions: ListVersions;
  /** In ms since 1970: until then, the upstream promises, nothing changes. */
  freshUntil: number;
  cacheScope: CacheScope;
  /** Items that are not offered and the reasons, for the operator. */
  problems: string[];
}

/** A list with more pages is cut, so that an upstream cannot keep the gateway busy forever (E-45). */
const maxPages = 100;

const settingOf: Readonly<Record<ItemList, keyof ListLimits>> = {
  tools: "maxTools",
  prompts: "maxPrompts",
  resources: "maxResources",
  resourceTemplates: "maxTemplates",
};

export interface ReadOptions {
  readonly limits?: ListLimits | undefined;
  /** The extensions to declare. Default: none. */
  readonly declared?: DeclaredExtensions | undefined;
  /** Which extensions pass. Default: all. */
  readonly extensions?: ExtensionFilter | undefined;
}

export async function readCatalog(
  upstream: string,
  dispatch: Dispatch,
  signal: AbortSignal,
  { limits = {}, declared, extensions }: ReadOptions = {},
): Promise<UpstreamCatalog> {
  const hints = new Hints();
  const capabilities = { ...relayedCapabilities, ...declared?.capabilities };
  const ask = async (name: string, params: JsonObject = {}) => {
    const result = await dispatch(toOwnRequest(name, params, capabilities), createOwnExchange({ signal }));
    hints.add(result);
    return result;
  };
  const discover = await ask(method.discover);
  if (!isDiscoverResult(discover)) {
    throw new McpError(errorCode.internalError, `upstream "${upstream}" gave no valid answer to ${method.discover}`);
  }
  const { tools, prompts, resources } = discover.capabilities;
  const { offered, problems: unoffered } = readOfferedExtensions(
    extensions?.offered(discover.capabilities) ?? discover.capabilities,
  );
  const problems = unoffered.map((problem) => `${upstream}: ${problem}`);
  const list = async <T>(isOffered: unknown, name: string, member: ItemList): Promise<ReadList<T>> => {
    const setting = settingOf[member];
    const bound = { setting, max: limits[setting] ?? defaultListLimits[setting] };
    if (!isOffered) return new ReadList<T>(member, bound);
    const read = await readPages<T>((params) => ask(name, params), member, bound);
    for (const problem of read.problems) problems.push(`${upstream}: ${problem}`);
    return read;
  };
  const [toolList, promptList, resourceList, templateList] = await Promise.all([
    list<Tool>(tools, method.listTools, "tools"),
    list<Prompt>(prompts, method.listPrompts, "prompts"),
    list<Resource>(resources, method.listResources, "resources"),
    list<ResourceTemplate>(resources, method.listResourceTemplates, "resourceTemplates"),
  ]);
  const { freshUntil, cacheScope } = hints;
  return {
    ...{ upstream, discover, offered, freshUntil, cacheScope, problems },
    ...{ tools: toolList.items, prompts: promptList.items },
    ...{ resources: resourceList.items, templates: templateList.items },
    versions: {
      ...{ tools: toolList.version, prompts: promptList.version },
      ...{ resources: resourceList.version, templates: templateList.version },
    },
  };
}

/** The shortest lifetime and the most private scope of all lists (E-56). */
class Hints {
  freshUntil: number = Number.POSITIVE_INFINITY;
  cacheScope: CacheScope = "public";

  add({ ttlMs, cacheScope }: Result): void {
    const lifeMs = typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0;
    this.freshUntil = Math.min(this.freshUntil, Date.now() + lifeMs);
    if (cacheScope !== "public") this.cacheScope = "private";
  }
}

/** Servers with resources but without templates often lack the method. */
function isWithoutTemplates(error: unknown, member: ItemList): boolean {
  return member === "resourceTemplates" && error instanceof McpError && error.code === errorCode.methodNotFound;
}

async function readPages<T>(
  ask: (params: JsonObject) => Promise<Result>,
  member: ItemList,
  bound: ListBound,
): Promise<ReadList<T>> {
  const list = new ReadList<T>(member, bound);
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let page = 0; page < maxPages; page++) {
    let result: Result;
    try {
      result = await ask(params);
    } catch (error) {
      if (isWithoutTemplates(error, member)) return list;
      throw error;
    }
    if (!(await list.add(result[member]))) return list;
    const cursor = result.nextCursor;
    if (typeof cursor !== "string") return list;
    if (seen.has(cursor)) return list.cut("it goes round in circles");
    seen.add(cursor);
    params = { cursor };
  }
  return list.cut(`it has more than ${maxPages} pages`);
}

/** Between two readings of an upstream that announces changes, in ms. */
const shortestRestMs = 250;
const restPerItemMs = 0.2;

/** An upstream with long lists is read less often, so that it takes no more of the gateway than one with short lists. */
export function readPauseOf(catalog: UpstreamCatalog | undefined): number {
  return catalog ? Math.max(shortestRestMs, itemsOf(catalog) * restPerItemMs) : shortestRestMs;
}

/** The number of items in all lists. */
export function itemsOf({ tools, prompts, resources, templates }: UpstreamCatalog): number {
  return tools.length + prompts.length + resources.length + templates.length;
}
