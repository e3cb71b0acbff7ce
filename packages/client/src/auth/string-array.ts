// String lists in metadata documents: malformed entries are skipped.

/** The distinct strings of an array. Undefined if there are none. */
export function toStringArray(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = new Set<string>();
  for (const item of value) if (typeof item === "string" && item !== "") strings.add(item);
  return strings.size === 0 ? undefined : [...strings];
}
