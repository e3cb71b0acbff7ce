// Merges the tools or prompts of many upstreams into one list. A name that several upstreams offer leads to none of them. Each
// item gets a different name, so that no upstream can replace another.
import { toSharedName } from "./name-spaces.ts";
import { type OfferedNames, toCounted } from "./offered-names.ts";
import type { Route } from "./route.ts";

export interface MergedNames<T, R extends Route> {
  readonly items: readonly T[];
  readonly routes: ReadonlyMap<string, R>;
  /** Names that several upstreams offer. They lead to none of them. */
  readonly shared: ReadonlySet<string>;
  readonly problems: readonly { readonly upstream: string; readonly problem: string }[];
}

export function mergeNames<T extends { name: string }, R extends Route>(
  kind: "tool" | "prompt",
  parts: readonly OfferedNames<T, R>[],
): MergedNames<T, R> {
  const problems: { upstream: string; problem: string }[] = [];
  for (const part of parts) {
    for (const problem of part.problems) problems.push({ upstream: part.upstream, problem });
  }
  const { taken, shared } = findShared(parts);
  const made = countShared(parts, shared);
  const items: T[] = [];
  const routes = new Map<string, R>();
  for (const part of parts) {
    const { upstream } = part;
    const renamed: string[] = [];
    const refused: string[] = [];
    for (const { item, route } of part.items) {
      const name = toUnsharedName(item.name, route, shared);
      const isRenamed = name !== item.name;
      // A generated name that another item already has leads to neither.
      if (isRenamed ? taken.has(name) || made.get(name) !== 1 : made.has(name)) {
        refused.push(route.name);
        continue;
      }
      if (isRenamed) renamed.push(route.name);
      items.push(isRenamed ? { ...item, name } : item);
      routes.set(name, route);
    }
    if (renamed.length > 0) {
      const what = `${toCounted(kind, renamed)} of ${upstream} offered with a hash at the end of the name`;
      problems.push({ upstream, problem: `${what}: ${advice}` });
    }
    if (refused.length > 0) {
      problems.push({ upstream, problem: `${toCounted(kind, refused)} of ${upstream} left out: ${advice}` });
    }
  }
  return { items, routes, shared, problems };
}

const advice = "other servers offer the same name; give the servers different prefixes";

function findShared<T extends { name: string }, R extends Route>(parts: readonly OfferedNames<T, R>[]) {
  const taken = new Set<string>();
  const shared = new Set<string>();
  for (const { items } of parts) {
    for (const { item } of items) {
      if (taken.has(item.name)) shared.add(item.name);
      else taken.add(item.name);
    }
  }
  return { taken, shared };
}

/** The number of items per generated name. */
function countShared<T extends { name: string }, R extends Route>(
  parts: readonly OfferedNames<T, R>[],
  shared: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const made = new Map<string, number>();
  if (shared.size === 0) return made;
  for (const { items } of parts) {
    for (const { item, route } of items) {
      const name = toUnsharedName(item.name, route, shared);
      if (name !== item.name) made.set(name, (made.get(name) ?? 0) + 1);
    }
  }
  return made;
}

function toUnsharedName(name: string, { upstream, name: ownName }: Route, shared: ReadonlySet<string>): string {
  return shared.has(name) ? toSharedName(name, upstream, ownName) : name;
}
