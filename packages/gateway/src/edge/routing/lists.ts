// The prepared results of one endpoint: discover and the four lists, each serialized once per version (E.7).
import { metaKey, method, modernRevisions, type Result, withReadyText } from "@lethe/protocol";
import { missingMetaKey } from "../../catalog/catalog-view.ts";
import type { Catalog } from "../../catalog/merge-catalogs.ts";

interface Made {
  readonly ttlMs: number;
  readonly cacheScope: Catalog["cacheScope"];
  readonly identity: Catalog["identity"];
  /** The names, joined into one string. */
  readonly missing: string;
  /** The objects the result was built from. */
  readonly from: object;
  readonly answer: Result;
}

interface List {
  /** The capability that the list requires. */
  readonly capability: "tools" | "prompts" | "resources" | undefined;
  /** A different object whenever the list differs. */
  from(catalog: Catalog): object;
  toMembers(catalog: Catalog): object;
}

const lists: Readonly<Record<string, List>> = {
  __proto__: null as never,
  [method.discover]: { capability: undefined, from: (catalog) => catalog, toMembers: toDiscovery },
  [method.listTools]: { capability: "tools", from: ({ tools }) => tools, toMembers: ({ tools }) => ({ tools }) },
  [method.listPrompts]: {
    capability: "prompts",
    from: ({ prompts }) => prompts,
    toMembers: ({ prompts }) => ({ prompts }),
  },
  [method.listResources]: {
    capability: "resources",
    from: ({ resources }) => resources,
    toMembers: ({ resources }) => ({ resources }),
  },
  [method.listResourceTemplates]: {
    capability: "resources",
    from: ({ templates }) => templates,
    toMembers: ({ templates }) => ({ resourceTemplates: templates }),
  },
};

/**
 * Returns undefined for other methods and for lists whose capability is missing. `missing` names the upstreams that are
 * starting or down.
 */
export type ListAnswers = (catalog: Catalog, name: string, missing?: readonly string[]) => Result | undefined;

export function createListAnswers(): ListAnswers {
  const made = new Map<string, Made>();
  return (catalog, name, missing = []) => {
    const list = lists[name];
    const { capabilities, cacheScope, identity } = catalog;
    if (!list || (list.capability && !capabilities[list.capability])) return undefined;
    // The rest of the shortest `ttlMs` of the upstreams, in whole seconds, so that the serialized text can be reused.
    const leftMs = Math.max(0, catalog.freshUntil - Date.now());
    const isPromised = Number.isFinite(leftMs) && missing.length === 0;
    const ttlMs = isPromised ? Math.floor(leftMs / 1_000) * 1_000 : 0;
    const missingNames = missing.join();
    const from = list.from(catalog);
    const known = made.get(name);
    const isSame = known?.from === from && known.ttlMs === ttlMs && known.cacheScope === cacheScope;
    if (isSame && known.identity === identity && known.missing === missingNames) return known.answer;
    const { brief, full } = identity;
    const _meta = {
      [metaKey.serverInfo]: name === method.discover ? full : brief,
      ...(missing.length > 0 && { [missingMetaKey]: [...missing] }),
    };
    const members = { resultType: "complete", ttlMs, cacheScope, ...list.toMembers(catalog), _meta };
    const answer = withReadyText<Result>(members);
    made.set(name, { ttlMs, cacheScope, identity, missing: missingNames, from, answer });
    return answer;
  };
}

/** The number of declarations whose serialized lists are kept. Beyond it they are serialized again. */
const maxLists = 32;

/** The lists by the extensions that a caller declares. */
export class DeclaredLists {
  readonly #answers: Map<string, ListAnswers> = new Map();

  answersFor(key: string): ListAnswers {
    const known = this.#answers.get(key);
    if (known) return known;
    if (this.#answers.size >= maxLists) this.#answers.clear();
    const made = createListAnswers();
    this.#answers.set(key, made);
    return made;
  }
}

function toDiscovery({ capabilities, laterRevisions, instructions }: Catalog): object {
  const supportedVersions = [...laterRevisions, ...modernRevisions];
  return { supportedVersions, capabilities, ...(instructions !== undefined && { instructions }) };
}
