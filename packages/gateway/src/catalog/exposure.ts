// Which of an upstream's features are offered, and under which names: the operator's lists.
import { createNameMatcher } from "../config/name-matcher.ts";
import type { Exposure } from "../config/upstream-config.ts";

export interface NameRule {
  /** The name that is offered, without a prefix; undefined for what is not. */
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
