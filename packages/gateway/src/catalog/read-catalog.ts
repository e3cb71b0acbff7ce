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
import { type ItemList, toSoundItem } from "./sound-items.ts";

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
  /** What is not offered of it and why, for the operator. */
  problems: string[];
}

/** A list longer than this many pages is cut: an upstream may not keep us busy for ever (E-45). */
const maxPages = 100;
/** So is one that is longer than this many characters: it is kept, and given to everybody who asks. */
const maxCharacters = 16 * 1024 * 1024;
/** Of one list. */
const maxProblems = 20;

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
  const problems: string[] = [];
  const list = async <T>(isOffered: unknown, name: string, member: ItemList): Promise<T[]> => {
    if (!isOffered) return [];
    const read = await readPages<T>((params) => ask(name, params), member);
    problems.push(...read.problems.map((problem) => `${upstream}: ${problem}`));
    return read.items;
  };
  const [toolList, promptList, resourceList, templateList] = await Promise.all([
    list<Tool>(tools, method.listTools, "tools"),
    list<Prompt>(prompts, method.listPrompts, "prompts"),
    list<Resource>(resources, method.listResources, "resources"),
    list<ResourceTemplate>(resources, method.listResourceTemplates, "resourceTemplates").catch(toNoTemplates),
  ]);
  const { freshUntil, cacheScope } = hints;
  return {
    ...{ upstream, discover, freshUntil, cacheScope, problems },
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

async function readPages<T>(ask: (params: JsonObject) => Promise<Result>, member: ItemList): Promise<ReadList<T>> {
  const list = new ReadList<T>(member);
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let page = 0; page < maxPages; page++) {
    const result = await ask(params);
    if (!list.add(result[member])) return list;
    const cursor = result.nextCursor;
    if (typeof cursor !== "string") return list;
    if (seen.has(cursor)) return list.cut("it goes round in circles");
    seen.add(cursor);
    params = { cursor };
  }
  return list.cut(`it has more than ${maxPages} pages`);
}

class ReadList<T> {
  readonly items: T[] = [];
  readonly #member: ItemList;
  readonly #told: string[] = [];
  #untold = 0;
  #characters = 0;

  constructor(member: ItemList) {
    this.#member = member;
  }

  get problems(): string[] {
    return this.#untold > 0 ? [...this.#told, `of its ${this.#member} ${this.#untold} more are wrong`] : this.#told;
  }

  /** False when there is room for no more. */
  add(page: unknown): boolean {
    if (!Array.isArray(page)) {
      this.#tell(`its list of ${this.#member} has a page without ${this.#member}`);
      return true;
    }
    for (const entry of page) {
      const item = toSoundItem(this.#member, entry, (problem) => this.#tell(problem));
      if (item === undefined) continue;
      this.#characters += JSON.stringify(item).length;
      if (this.#characters > maxCharacters) {
        this.cut(`it is longer than ${maxCharacters} characters`);
        return false;
      }
      this.items.push(item as T);
    }
    return true;
  }

  cut(why: string): this {
    this.#told.push(`its list of ${this.#member} is cut after ${this.items.length}: ${why}`);
    return this;
  }

  #tell(problem: string): void {
    if (this.#told.includes(problem)) return;
    if (this.#told.length < maxProblems) this.#told.push(problem);
    else this.#untold += 1;
  }
}
