// Patterns of policy rules: `*` stands for any text, everything else for itself.

export type Matcher = (text: string) => boolean;

/** Matches what one of the patterns does; without patterns, everything. */
export function toMatcher(patterns: readonly string[] | undefined): Matcher {
  if (!patterns) return () => true;
  const exact = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  const open = patterns.filter((pattern) => pattern.includes("*")).map((pattern) => pattern.split("*"));
  return (text) => exact.has(text) || open.some((parts) => fits(text, parts));
}

/** No regular expression: the time that it takes must not depend on how the parts can be told apart. */
function fits(text: string, parts: readonly string[]): boolean {
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
