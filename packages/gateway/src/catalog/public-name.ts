// The public name of a tool or prompt: prefixed, limited to common characters and 64 of them, and stable (E-66, J-58).
import { hash } from "node:crypto";
import { toPrefixedName } from "@lethe/protocol";

export const maxNameLength = 64;
/** Replaces characters that some hosts reject with "_". */
export function toLegalName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/**
 * `{prefix}__{name}`, or the name alone without a prefix. If a character had to be replaced or the name cut, a short hash of
 * the original keeps two names apart and gives the same name every time.
 */
export function toPublicName(prefix: string, name: string): string {
  const whole = toPrefixedName(prefix, name);
  const legal = toLegalName(whole);
  if (legal === whole && whole.length <= maxNameLength) return whole;
  const digest = hash("sha256", whole).slice(0, 8);
  return `${legal.slice(0, maxNameLength - digest.length - 1)}_${digest}`;
}
