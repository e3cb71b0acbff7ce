// The public name of an upstream's tool or prompt: prefixed, legal everywhere, at most 64 characters, and stable (E-66, J-58).
import { hash } from "node:crypto";

export const maxNameLength = 64;
/** Between prefix and name. */
export const nameSeparator = "__";

/** The upstream's own name, where the public one was made with this prefix and nothing had to be changed. */
export function toOwnName(prefix: string, publicName: string): string | undefined {
  if (prefix === "") return publicName;
  const start = `${prefix}${nameSeparator}`;
  return publicName.startsWith(start) ? publicName.slice(start.length) : undefined;
}

/** Characters that some hosts refuse become "_". */
export function toLegalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * `{prefix}__{name}`, or the name alone without a prefix. If a character had to be replaced or the name cut, a short hash of
 * the original keeps two names apart and gives the same name every time.
 */
export function toPublicName(prefix: string, name: string): string {
  const whole = prefix === "" ? name : `${prefix}${nameSeparator}${name}`;
  const legal = toLegalName(whole);
  if (legal === whole && whole.length <= maxNameLength) return whole;
  const digest = hash("sha256", whole).slice(0, 8);
  return `${legal.slice(0, maxNameLength - digest.length - 1)}_${digest}`;
}
