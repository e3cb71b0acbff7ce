// The ready answers of one catalogue: discover and the four lists, serialised once for each version of it (E.7).
import { metaKey, method, modernRevisions, type Result, withReadyText } from "@lethe/protocol";
import type { Catalog } from "../catalog/merge-catalogs.ts";

type Lists = Readonly<Record<string, Result>>;

interface Made {
  readonly ttlMs: number;
  readonly lists: Lists;
}

/** Undefined for a method that is no list, or one of a capability that is not there (E-4). */
export type ListAnswers = (catalog: Catalog, name: string) => Result | undefined;

export function createListAnswers(): ListAnswers {
  const made = new WeakMap<Catalog, Made>();
  return (catalog, name) => {
    // What is left of the shortest promise of the upstreams, in whole seconds, so that a text serves more than once.
    const leftMs = Math.max(0, catalog.freshUntil - Date.now());
    const ttlMs = Number.isFinite(leftMs) ? Math.floor(leftMs / 1_000) * 1_000 : 0;
    let current = made.get(catalog);
    if (current?.ttlMs !== ttlMs) {
      current = { ttlMs, lists: toLists(catalog, ttlMs) };
      made.set(catalog, current);
    }
    return current?.lists[name];
  };
}

function toLists(catalog: Catalog, ttlMs: number): Lists {
  const { capabilities, instructions, tools, prompts, resources, templates, cacheScope, identity } = catalog;
  const toAnswer = (members: object, serverInfo = identity.brief) => {
    const _meta = { [metaKey.serverInfo]: serverInfo };
    return withReadyText<Result>({ resultType: "complete", ttlMs, cacheScope, ...members, _meta });
  };
  const supportedVersions = [...modernRevisions];
  return {
    __proto__: null as never,
    [method.discover]: toAnswer(
      { supportedVersions, capabilities, ...(instructions !== undefined && { instructions }) },
      identity.full,
    ),
    ...(capabilities.tools && { [method.listTools]: toAnswer({ tools }) }),
    ...(capabilities.prompts && { [method.listPrompts]: toAnswer({ prompts }) }),
    ...(capabilities.resources && {
      [method.listResources]: toAnswer({ resources }),
      [method.listResourceTemplates]: toAnswer({ resourceTemplates: templates }),
    }),
  };
}
