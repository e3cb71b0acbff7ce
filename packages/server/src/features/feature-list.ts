// One list of features in order of registration: lookup by name, and pages as serialized text (E-45, E-50).
import { type CacheHints, type Caller, type JsonObject, type Result, withReadyText } from "@lethe/protocol";
import { parseCursor, toCursor } from "./cursor.ts";
import type { Feature, Visibility } from "./feature.ts";
import { PageCache } from "./page-cache.ts";

export interface FeatureListOptions<D> {
  /** The list's name in cursors, and the member of the result that holds the items: "tools", "resourceTemplates". */
  member: string;
  pageSize: number;
  cache: CacheHints;
  isVisible?: Visibility | undefined;
  /** `_meta` of every result. */
  resultMeta?: JsonObject | undefined;
  /** Returns the list entry of a feature. */
  toItem: (definition: D) => unknown;
  onChange: () => void;
}

export interface FeatureList<D> {
  readonly size: number;
  /** Undefined for a feature that does not exist or that the caller may not see. */
  get(name: string, caller: Caller | undefined): D | undefined;
  has(name: string): boolean;
  /** Whether callers may see different items. */
  readonly mayHide: boolean;
  all(): Iterable<D>;
  visibleTo(caller: Caller | undefined): Iterable<D>;
  /** Throws when the name is taken. */
  add(name: string, definition: D): void;
  /** Returns false when there is no such feature. */
  remove(name: string): boolean;
  /** Returns one page with its serialized text, made once for all callers that see the same items. Throws McpError -32602 for an invalid cursor. */
  page(cursor: string | undefined, caller: Caller | undefined): Result;
}

interface Entry<D> {
  /** Never reused, so that a cursor keeps its position after a removal. */
  readonly ordinal: number;
  readonly definition: D;
}

const beforeFirst = -1;

export function createFeatureList<D extends { readonly feature: Feature }>(
  options: FeatureListOptions<D>,
): FeatureList<D> {
  const { member, pageSize, cache, isVisible, resultMeta, toItem, onChange } = options;
  const entries = new Map<string, Entry<D>>();
  let nextOrdinal = 0;
  /** How many features have a rule of their own. */
  let ruleCount = 0;
  /** By the items that a caller sees: the pages by the ordinal after which they begin, only those of a walk from the start. */
  const pages = new PageCache();

  function changed(): void {
    pages.clear();
    onChange();
  }

  function mayHide(): boolean {
    return isVisible !== undefined || ruleCount > 0;
  }

  function isShown({ feature }: D, caller: Caller | undefined): boolean {
    if (feature.visible !== undefined && !feature.visible(caller)) return false;
    return isVisible === undefined || isVisible(feature, caller);
  }

  /** One digit per feature: whether the caller sees it. Empty if all callers see all. */
  function outcomeFor(caller: Caller | undefined): string {
    if (!mayHide()) return "";
    let outcome = "";
    for (const { definition } of entries.values()) outcome += isShown(definition, caller) ? "1" : "0";
    return outcome;
  }

  function slice(after: number, outcome: string): Slice {
    const { ttlMs } = cache;
    const cacheScope = mayHide() ? "private" : cache.cacheScope;
    const { items, next } = toItems(entries.values(), { after, outcome, pageSize, toItem });
    const result: Result = { resultType: "complete", [member]: items, ttlMs, cacheScope };
    if (next !== undefined) result.nextCursor = toCursor(member, next);
    if (resultMeta !== undefined) result._meta = resultMeta;
    return { result, next };
  }

  function allPages(outcome: string): Map<number, Result> {
    const all = new Map<number, Result>();
    for (let after: number | undefined = beforeFirst; after !== undefined; ) {
      const { result, next } = slice(after, outcome);
      all.set(after, withReadyText(result));
      after = next;
    }
    return all;
  }

  return {
    get size() {
      return entries.size;
    },
    get mayHide() {
      return mayHide();
    },
    has: (name) => entries.has(name),
    get(name, caller) {
      const definition = entries.get(name)?.definition;
      if (definition === undefined || !mayHide()) return definition;
      return isShown(definition, caller) ? definition : undefined;
    },
    *all() {
      for (const { definition } of entries.values()) yield definition;
    },
    *visibleTo(caller) {
      for (const { definition } of entries.values()) {
        if (!mayHide() || isShown(definition, caller)) yield definition;
      }
    },
    add(name, definition) {
      if (entries.has(name))
        throw new Error(`${definition.feature.kind} ${JSON.stringify(name)} is already registered`);
      entries.set(name, { ordinal: nextOrdinal++, definition });
      if (definition.feature.visible !== undefined) ruleCount += 1;
      changed();
    },
    remove(name) {
      const removed = entries.get(name);
      if (removed === undefined) return false;
      entries.delete(name);
      if (removed.definition.feature.visible !== undefined) ruleCount -= 1;
      changed();
      return true;
    },
    page(cursor, caller) {
      const after = cursor === undefined ? beforeFirst : parseCursor(member, cursor, nextOrdinal);
      const outcome = outcomeFor(caller);
      return pages.get(outcome, allPages).get(after) ?? slice(after, outcome).result;
    },
  };
}

interface Slice {
  readonly result: Result;
  /** The ordinal after which the next page begins. */
  readonly next: number | undefined;
}

interface SliceOptions<D> {
  readonly after: number;
  readonly outcome: string;
  readonly pageSize: number;
  readonly toItem: (definition: D) => unknown;
}

function toItems<D>(
  entries: Iterable<Entry<D>>,
  { after, outcome, pageSize, toItem }: SliceOptions<D>,
): { readonly items: unknown[]; readonly next: number | undefined } {
  const items: unknown[] = [];
  let last = after;
  let position = -1;
  for (const { ordinal, definition } of entries) {
    position += 1;
    if (ordinal <= after || outcome[position] === "0") continue;
    if (items.length === pageSize) return { items, next: last };
    items.push(toItem(definition));
    last = ordinal;
  }
  return { items, next: undefined };
}
