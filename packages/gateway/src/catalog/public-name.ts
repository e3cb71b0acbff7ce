// The public name of an upstream's tool or prompt: prefixed, legal everywhere, at most 64 characters, and stable (E-66, J-58).
import { createHash } from "node:crypto";

const maxLength = 64;
const separator = "__";

/** The upstream's own name, where the public one was made with this prefix and nothing had to be changed. */
export function toOwnName(prefix: string, publicName: string): string | undefined {
  if (prefix === "") return publicName;
  const start = `${prefix}${separator}`;
  return publicName.startsWith(start) ? publicName.slice(start.length) : undefined;
}

/**
 * `{prefix}__{name}`, or the name alone without a prefix. Characters that some hosts refuse become "_"; whenever something
 * was changed or cut, a short hash of the original keeps two names apart and the same name the same for ever.
 */
export function toPublicName(prefix: string, name: string): string {
  const whole = prefix === "" ? name : `${prefix}${separator}${name}`;
  const legal = whole.replace(/[^A-Za-z0-9_-]/g, "_");
  if (legal === whole && whole.length <= maxLength) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${legal.slice(0, maxLength - hash.length - 1)}_${hash}`;
}
