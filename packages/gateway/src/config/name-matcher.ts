// Matches names against an operator's patterns.
import { findText } from "./find-text.ts";

/** Whether a pattern can match several names. */
export function hasStar(pattern: string): boolean {
  return pattern.includes("*");
}

/** `star` matches any text, including none. */
export function createNameMatcher(patterns: readonly string[], star = "*"): (name: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes(star)));
  const open = patterns.filter((pattern) => pattern.includes(star)).map((pattern) => pattern.split(star));
  return (name) => exact.has(name) || open.some((parts) => fits(name, parts));
}

/** Matches leftmost first, in linear time. `parts` holds the texts between the stars. */
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
