// Errors of a definition: an author sees them at start-up, so each says which feature and which field.

/** Runs one step of a definition; what it throws comes out with `place` before its message. */
export function defining<T>(place: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
