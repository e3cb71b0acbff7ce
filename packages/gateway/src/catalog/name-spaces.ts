// Assigns public names to prefixes, so that the tool `b__c` of prefix `a` never takes the name of the tool `c` of prefix
// `a__b`.
import { hash } from "node:crypto";
import { nameSeparator } from "@lethe/protocol";
import { maxNameLength, toLegalName, toPublicName } from "./public-name.ts";

export interface NameSpaces {
  /** Equal for equal sets of prefixes. */
  readonly key: string;
  /** The public name of a tool or prompt. No other prefix can make the same one, except by an equal name. */
  toName(prefix: string, offered: string): string;
}

/** A name belongs to the longest prefix that it starts with. A name that belongs to another prefix is flattened. */
export function createNameSpaces(prefixes: Iterable<string>): NameSpaces {
  const starts = new Set([...prefixes].filter((prefix) => prefix !== "").map(toStart));
  return {
    key: JSON.stringify([...starts].sort()),
    toName(prefix, offered) {
      const name = toPublicName(prefix, offered);
      const own = prefix === "" ? "" : toStart(prefix);
      return hasLongerStart(name, own, starts) ? toHashedName(own, toFlat(offered), [prefix, offered]) : name;
    },
  };
}

/**
 * Whether the name starts with a start that is longer than its own. Every start ends with the separator, so the number of other prefixes
 * does not count.
 */
function hasLongerStart(name: string, own: string, starts: ReadonlySet<string>): boolean {
  const shortest = own.length + 1;
  let at = name.indexOf(nameSeparator, shortest - nameSeparator.length);
  while (at !== -1) {
    if (starts.has(name.slice(0, at + nameSeparator.length))) return true;
    at = name.indexOf(nameSeparator, at + 1);
  }
  return false;
}

function toStart(prefix: string): string {
  return toLegalName(`${prefix}${nameSeparator}`);
}

/** The name of an item that several upstreams offer under `name`: it includes a hash of the upstream and its own name. */
export function toSharedName(name: string, upstream: string, ownName: string): string {
  return toHashedName("", name, [upstream, ownName]);
}

/** Removes the separator, which could make the name start with another prefix. */
function toFlat(name: string): string {
  return toLegalName(name).replace(/_+/g, "_").replace(/^_/, "");
}

function toHashedName(start: string, rest: string, origin: readonly string[]): string {
  const digest = hash("sha256", JSON.stringify(origin)).slice(0, 8);
  const kept = `${start}${rest}`.slice(0, maxNameLength - digest.length - 1);
  return kept.endsWith("_") ? `${kept}${digest}` : `${kept}_${digest}`;
}
