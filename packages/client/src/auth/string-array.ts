// Lists in metadata documents: only what is well formed counts.

/** The strings of an array, each once; undefined when there is none. */
export function toStringArray(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const strings = new Set<string>();
  for (const item of value) if (typeof item === "string" && item !== "") strings.add(item);
  return strings.size === 0 ? undefined : [...strings];
}
