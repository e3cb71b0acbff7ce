// Whether LETHE_KEYS of the environment can be read.
import { createKeyRing, keysFromEnvironment } from "@lethe/server/stores";

/** Why the keys cannot be used. Undefined also if there are none. */
export function findKeyProblem(): string | undefined {
  try {
    const keys = keysFromEnvironment();
    if (keys !== undefined) createKeyRing(keys);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
