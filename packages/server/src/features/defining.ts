// Adds the feature and the field to errors of a definition.
import { nameOf } from "@lethe/protocol";

/** Runs one step of a definition and prefixes its errors with `place`. */
export function defining<T>(place: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Names a feature in errors. Throws an Error if an object with the name in it was passed, as some other libraries expect. */
export function placeOf(kind: string, name: unknown): string {
  if (typeof name === "string") return `${kind} ${JSON.stringify(name)}`;
  const expected = kind === "mount" ? "a prefix" : "a name";
  const second = kind === "mount" ? "a server" : "options";
  throw new Error(
    `${kind}: ${expected} expected as the first argument and ${second} as the second, got ${nameOf(name)}`,
  );
}
