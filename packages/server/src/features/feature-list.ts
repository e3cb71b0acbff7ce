// One list of features in order of registration: lookup by name, and pages as serialized text (E-45, E-50).
import { type CacheHints, type Caller, type JsonObject, type Result, withReadyText } from "@lethe/protocol";
import { parseCursor, toCursor } from "./cursor.ts";
import type { Feature, Visibility } from "./feature.ts";

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
  all(): Iterable<D>;
  visibleTo(caller: Caller | undefined): Iterable<D>;
  /** Throws when the name is taken. */
  add(name: string, definition: D): void;
  /** Returns false when there is no such feature. */
  remove(name: string): boolean;
  /** Returns one page; with serialized text if all callers see the same list. Throws McpError -32602 for an invalid cursor. */
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
  /** Pages by the ordinal after which they begin: only those that a walk from the start meets. */
  let pages: Map<number, Result> | undefined;

  function changed(): void {
    pages = undefined;
    onChange();
  }

  /** One page, and the ordinal after which the next one begins. */
  function slice(after: number, caller: Caller | undefined): { result: Result; next: number | undefined } {
    const items: unknown[] = [];
    let last = after;
    let next: number | undefined;
    for (const { ordinal, definition } of entries.values()) {
      if (ordinal <= after || (isVisible && !isVisible(definition.feature, caller))) continue;
      if (items.length === pageSize) {
        next = last;
        break;
      }
      items.push(toItem(definition));
      last = ordinal;
    }
    const { ttlMs, cacheScope } = cache;
    const result: Result = { resultType: "complete", [member]: items, ttlMs, cacheScope };
    if (next !== undefined) result.nextCursor = toCursor(member, next);
    if (resultMeta !== undefined) result._meta = resultMeta;
    return { result, next };
  }

  function allPages(): Map<number, Result> {
    const all = new Map<number, Result>();
    for (let after: number | undefined = beforeFirst; after !== undefined; ) {
      const { result, next } = slice(after, undefined);
      all.set(after, withReadyText(result));
      after = next;
    }
    return all;
  }

  return {
    get size() {
      return entries.size;
    },
    get(name, caller) {
      const definition = entries.get(name)?.definition;
      if (definition === undefined || isVisible === undefined) return definition;
      return isVisible(definition.feature, caller) ? definition : undefined;
    },
    *all() {
      for (const { definition } of entries.values()) yield definition;
    },
    *visibleTo(caller) {
      for (const { definition } of entries.values()) {
        if (isVisible === undefined || isVisible(definition.feature, caller)) yield definition;
      }
    },
    add(name, definition) {
      if (entries.has(name))
        throw new Error(`${definition.feature.kind} ${JSON.stringify(name)} is already registered`);
      entries.set(name, { ordinal: nextOrdinal++, definition });
      changed();
    },
    remove(name) {
      const isRemoved = entries.delete(name);
      if (isRemoved) changed();
      return isRemoved;
    },
    page(cursor, caller) {
      const after = cursor === undefined ? beforeFirst : parseCursor(member, cursor, nextOrdinal);
      if (isVisible) return slice(after, caller).result;
      pages ??= allPages();
      return pages.get(after) ?? slice(after, undefined).result;
    },
  };
}
