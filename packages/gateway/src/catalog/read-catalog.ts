// Reads what one upstream offers: all pages of every list that its capabilities name.
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
import { createOwnExchange, toOwnRequest } from "../upstream/own-request.ts";

export interface UpstreamCatalog {
  upstream: string;
  discover: DiscoverResult;
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: ResourceTemplate[];
  /** ms since 1970: until then the upstream says that nothing changes (E-56). */
  freshUntil: number;
  cacheScope: CacheScope;
}

/** A list longer than this many pages is cut: an upstream may not keep us busy for ever (E-45). */
const maxPages = 100;

export async function readCatalog(upstream: string, dispatch: Dispatch, signal: AbortSignal): Promise<UpstreamCatalog> {
  const hints = new Hints();
  const ask = async (name: string, params: JsonObject = {}) => {
    const result = await dispatch(toOwnRequest(name, params), createOwnExchange({ signal }));
    hints.add(result);
    return result;
  };
  const discover = await ask(method.discover);
  if (!isDiscoverResult(discover)) {
    throw new McpError(errorCode.internalError, `upstream "${upstream}" gave no valid answer to ${method.discover}`);
  }
  const { tools, prompts, resources } = discover.capabilities;
  const list = <T>(isOffered: unknown, name: string, member: string) =>
    isOffered ? readPages<T>((params) => ask(name, params), member) : Promise.resolve<T[]>([]);
  const [toolList, promptList, resourceList, templateList] = await Promise.all([
    list<Tool>(tools, method.listTools, "tools"),
    list<Prompt>(prompts, method.listPrompts, "prompts"),
    list<Resource>(resources, method.listResources, "resources"),
    list<ResourceTemplate>(resources, method.listResourceTemplates, "resourceTemplates").catch(toNoTemplates),
  ]);
  const { freshUntil, cacheScope } = hints;
  return {
    ...{ upstream, discover, freshUntil, cacheScope },
    ...{ tools: toolList, prompts: promptList, resources: resourceList, templates: templateList },
  };
}

/** E-56: the shortest life and the most private scope of all that was read. */
class Hints {
  freshUntil: number = Number.POSITIVE_INFINITY;
  cacheScope: CacheScope = "public";

  add({ ttlMs, cacheScope }: Result): void {
    const lifeMs = typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0;
    this.freshUntil = Math.min(this.freshUntil, Date.now() + lifeMs);
    if (cacheScope !== "public") this.cacheScope = "private";
  }
}

/** Servers with resources and without templates often lack the method. */
function toNoTemplates(error: unknown): ResourceTemplate[] {
  if (error instanceof McpError && error.code === errorCode.methodNotFound) return [];
  throw error;
}

async function readPages<T>(ask: (params: JsonObject) => Promise<Result>, member: string): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let page = 0; page < maxPages; page++) {
    const result = await ask(params);
    if (Array.isArray(result[member])) items.push(...(result[member] as T[]));
    const cursor = result.nextCursor;
    if (typeof cursor !== "string" || seen.has(cursor)) break;
    seen.add(cursor);
    params = { cursor };
  }
  return items;
}
