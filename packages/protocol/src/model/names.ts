// Public names of features that several servers contribute to one list.

/** Between the prefix of a server and the name of its feature. */
export const nameSeparator = "__";

/** `{prefix}__{name}`, or the name alone with an empty prefix. */
export function toPrefixedName(prefix: string, name: string): string {
  return prefix === "" ? name : `${prefix}${nameSeparator}${name}`;
}

/** The name without the prefix. Undefined if the public name has another prefix. */
export function toOwnName(prefix: string, publicName: string): string | undefined {
  if (prefix === "") return publicName;
  const start = `${prefix}${nameSeparator}`;
  return publicName.startsWith(start) ? publicName.slice(start.length) : undefined;
}
