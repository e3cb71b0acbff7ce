// Selects the features of an upstream that are offered, and their names, by the operator's lists.
import { createNameMatcher } from "../config/name-matcher.ts";
import type { Exposure } from "../config/schema/settings.ts";

export interface NameRule {
  /** Returns the offered name without a prefix, or undefined if the item is not offered. */
  offered(name: string): string | undefined;
}

const everything: NameRule = { offered: (name) => name };

export function createNameRule(exposure: Exposure | undefined): NameRule {
  if (!exposure) return everything;
  const isAllowed = exposure.allow ? createNameMatcher(exposure.allow) : () => true;
  const isDenied = createNameMatcher(exposure.deny ?? []);
  const renamed = new Map(Object.entries(exposure.rename ?? {}));
  return {
    offered: (name) => (isAllowed(name) && !isDenied(name) ? (renamed.get(name) ?? name) : undefined),
  };
}
