// Which of an upstream's features are offered, and under which names: the operator's lists.
import type { Exposure } from "../config/upstream-config.ts";
import { findText } from "./find-text.ts";

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

/** `star` stands for any text, also for none. */
export function createNameMatcher(patterns: readonly string[], star = "*"): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes(star)));
  const open = patterns.filter((pattern) => pattern.includes(star)).map((pattern) => pattern.split(star));
  return (name) => exact.has(name) || open.some((parts) => fits(name, parts));
}

/** Leftmost first, in linear time: `parts` is what stands between the stars. */
function fits(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let position = first.length;
  const end = name.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const at = findText(name, part, position);
    if (at === -1 || at + part.length > end) return false;
    position = at + part.length;
  }
  return true;
}
