// Adds the feature and the field to errors of a definition.

/** Runs one step of a definition and prefixes its errors with `place`. */
export function defining<T>(place: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
