// The tools or prompts of one upstream under the names they get if no other upstream has them.
import type { NameRule } from "./exposure.ts";
import type { NameSpaces } from "./name-spaces.ts";
import type { Route } from "./route.ts";
import { toShown } from "./valid-items.ts";

export interface OfferedItem<T, R extends Route> {
  /** The item under its public name. */
  readonly item: T;
  readonly route: R;
}

export interface OfferedNames<T, R extends Route> {
  readonly upstream: string;
  readonly items: readonly OfferedItem<T, R>[];
  /** Items that could not be offered, and the reasons. */
  readonly problems: readonly string[];
}

export interface NamedPart<T, R extends Route> {
  readonly kind: "tool" | "prompt";
  readonly upstream: string;
  readonly prefix: string;
  readonly rule: NameRule;
  readonly items: readonly T[];
  /** Prepares `item`, a copy of `own` with the public name. A returned text says why the item cannot be offered. */
  toOffered(item: T, own: T): OfferedItem<T, R> | string;
}

/** The maximum number of lines about single items of one upstream. */
const maxProblems = 20;

export function toOfferedNames<T extends { name: string }, R extends Route>(
  part: NamedPart<T, R>,
  spaces: NameSpaces,
): OfferedNames<T, R> {
  const { kind, upstream, prefix, rule } = part;
  const names = new Set<string>();
  const items: OfferedItem<T, R>[] = [];
  const repeated: string[] = [];
  const problems: string[] = [];
  let untold = 0;
  for (const item of part.items) {
    const offered = rule.offered(item.name);
    if (offered === undefined) continue;
    const name = spaces.toName(prefix, offered);
    if (names.has(name)) {
      repeated.push(item.name);
      continue;
    }
    const made = part.toOffered({ ...item, name }, item);
    if (typeof made !== "string") {
      names.add(name);
      items.push(made);
    } else if (problems.length < maxProblems) {
      problems.push(`${kind} ${toShown(item.name)} of ${upstream} is left out: ${made}`);
    } else untold += 1;
  }
  if (untold > 0) problems.push(`${untold} more ${kind}s of ${upstream} are left out`);
  if (repeated.length > 0) {
    problems.push(`${toCounted(kind, repeated)} of ${upstream} left out: an earlier one has the name`);
  }
  return { upstream, items, problems };
}

/** Summarizes many names in one line. */
export function toCounted(kind: string, [first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? `${kind} ${toShown(first)}` : `${kind} ${toShown(first)} and ${others.length} more`;
}
