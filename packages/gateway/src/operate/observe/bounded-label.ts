// A label of metrics whose values come from outside. Metrics keep every value that they have seen.

/** Returns a value as a label: the value itself for the first `max` values, otherwise "other". A value is added only if `isTrusted`. */
export function createBoundedLabel(max: number): (value: string | undefined, isTrusted: boolean) => string {
  const known = new Set<string>();
  return (value, isTrusted) => {
    if (value === undefined) return "";
    if (known.has(value)) return value;
    if (!isTrusted || known.size >= max) return "other";
    known.add(value);
    return value;
  };
}
